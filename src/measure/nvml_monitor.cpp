// SPDX-License-Identifier: Apache-2.0
#include "measure/nvml_monitor.hpp"

#include "core/counted.hpp"
#include "measure/kinship.hpp"

#include <algorithm>
#include <utility>

namespace fastnorm::measure {
namespace {

/// Of a device that idles, NVML may say as much.
constexpr int idle_percent = 5;

/// Further below the highest clock of the run is no matter of degrees.
constexpr double low_clock = 0.9;

/// The driver takes so many samples of what processes do.
constexpr std::chrono::milliseconds between_looks{200};

std::string describe(const ProcessUse& use) {
  const std::string name = process_name(use.process);
  return (name.empty() ? "a process" : name) + " (process " + std::to_string(use.process) +
         ") uses " + std::to_string(use.percent) + "% of this GPU";
}

}  // namespace

NvmlMonitor::NvmlMonitor(NvmlDevice device) : device_(std::move(device)) {
  look_for_others();
  if (!device_.reasons()) notes_.emplace_back("this GPU does not tell why its clocks are low");
}

/// Before the run, whatever is busy is another's.
void NvmlMonitor::look_for_others() {
  const std::string consequence = ": it disturbs the measurements";
  for (const ProcessUse& use : device_.process_use()) {
    const Kinship kinship = kinship_of(use.process);
    if (use.percent == 0 || kinship == Kinship::own) continue;
    if (kinship == Kinship::unknown) busy_strangers_.push_back(use.process);
    notes_.push_back(describe(use) + consequence);
  }
  const int percent = device_.utilisation().value_or(0);
  if (notes_.empty() && percent > idle_percent) {
    notes_.push_back("something uses " + std::to_string(percent) + "% of this GPU" + consequence);
  }
}

void NvmlMonitor::begin() {
  reasons_before_ = device_.reasons().value_or(0);
  thermal_before_ns_ = device_.thermal_ns();
}

Disturbances NvmlMonitor::end() {
  ++measurements_;
  Disturbances found = slowdowns(reasons_before_ | device_.reasons().value_or(0));
  if (others_are_busy()) found |= Disturbance::other_load;
  return found;
}

Disturbances NvmlMonitor::slowdowns(std::uint64_t reasons) {
  using namespace clock_reasons;
  Disturbances found;
  const std::optional<std::uint64_t> thermal_ns = device_.thermal_ns();
  const bool was_hot = thermal_ns && thermal_before_ns_ && *thermal_ns > *thermal_before_ns_;
  if (was_hot || (reasons & (software_thermal | hardware_thermal)) != 0) {
    found |= Disturbance::thermal_slowdown;
  }
  if ((reasons & power_brake) != 0) found |= Disturbance::power_brake;
  if ((reasons & hardware_slowdown) != 0 && found.empty()) found |= Disturbance::hardware_slowdown;

  const bool at_power_limit = (reasons & power_cap) != 0;
  if (at_power_limit) ++at_power_limit_;
  const int clock_mhz = device_.sm_clock_mhz().value_or(highest_clock_mhz_);
  if (clock_mhz < low_clock * highest_clock_mhz_ && !at_power_limit && found.empty()) {
    found |= Disturbance::low_clock;
  }
  highest_clock_mhz_ = std::max(highest_clock_mhz_, clock_mhz);
  return found;
}

bool NvmlMonitor::others_are_busy() {
  const auto now = std::chrono::steady_clock::now();
  if (looked_ && now - *looked_ < between_looks) return others_were_busy_;
  looked_ = now;
  const std::vector<ProcessUse> uses = device_.process_use();
  others_were_busy_ = std::any_of(uses.begin(), uses.end(), [&](const ProcessUse& use) {
    if (use.percent == 0) return false;
    switch (kinship_of(use.process)) {
      case Kinship::own:
        return false;
      case Kinship::other:
        return true;
      case Kinship::unknown:
        // Perhaps this very process, by the number that it has outside its container.
        return std::find(busy_strangers_.begin(), busy_strangers_.end(), use.process) !=
               busy_strangers_.end();
    }
    return false;
  });
  return others_were_busy_;
}

std::vector<std::string> NvmlMonitor::closing_notes() const {
  if (at_power_limit_ == 0) return {};
  return {"the GPU was at its power limit in " + std::to_string(at_power_limit_) + " of " +
          counted(measurements_, "measurement", "measurements") +
          "; their times are those of that clock"};
}

}  // namespace fastnorm::measure
