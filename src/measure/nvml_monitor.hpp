// SPDX-License-Identifier: Apache-2.0
/// Watches an NVIDIA GPU.
#pragma once

#include "measure/monitor.hpp"
#include "measure/nvml.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fastnorm::measure {

/// Slowdowns for heat or of the power supply, clocks and other processes.
///
/// At its power limit, a device that is meant to run there does so all the time: what is measured
/// is what will run. That disturbs nothing, and is said once at the end.
class NvmlMonitor final : public Monitor {
 public:
  explicit NvmlMonitor(NvmlDevice device);

  std::vector<std::string> opening_notes() const override { return notes_; }
  void begin() override;
  Disturbances end() override;
  std::vector<std::string> closing_notes() const override;

 private:
  void look_for_others();
  Disturbances slowdowns(std::uint64_t reasons);
  bool others_are_busy();

  NvmlDevice device_;
  std::vector<std::string> notes_;
  std::vector<int> busy_strangers_;  ///< Processes out of sight that were busy before the run.

  std::uint64_t reasons_before_ = 0;
  std::optional<std::uint64_t> thermal_before_ns_;
  int highest_clock_mhz_ = 0;
  std::optional<std::chrono::steady_clock::time_point> looked_;  ///< For other processes.
  bool others_were_busy_ = false;

  std::size_t measurements_ = 0;
  std::size_t at_power_limit_ = 0;
};

}  // namespace fastnorm::measure
