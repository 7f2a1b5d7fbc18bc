// SPDX-License-Identifier: Apache-2.0
// What disturbs measurements, as a management library and a load average made up for it say.
#include "measure/monitor.hpp"

#include "measure/host_monitor.hpp"
#include "measure/kinship.hpp"
#include "measure/nvml_monitor.hpp"
#include "support/fake_nvml.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace fastnorm::measure {
namespace {

bool contains(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

class NvmlMonitorTest : public ::testing::Test {
 protected:
  NvmlMonitor monitor() const {
    Result<NvmlDevice> device = NvmlDevice::open(test::FakeNvml::path(), test::fake_pci_address);
    if (!device.ok()) ADD_FAILURE() << device.status().message();
    return NvmlMonitor(std::move(device).value());
  }

  static Disturbances measure(NvmlMonitor& monitor) {
    monitor.begin();
    return monitor.end();
  }

  /// Of a measurement during which NVML gives this reason.
  Disturbances with_reason(std::uint64_t reason) {
    NvmlMonitor watching = monitor();
    nvml_.state->reasons = reason;
    return measure(watching);
  }

  test::FakeNvml nvml_;
  test::FakeNvmlState& state_ = *nvml_.state;
};

TEST_F(NvmlMonitorTest, AQuietDeviceDisturbsNothing) {
  NvmlMonitor watching = monitor();
  EXPECT_TRUE(watching.opening_notes().empty());
  EXPECT_TRUE(measure(watching).empty());
  EXPECT_TRUE(watching.closing_notes().empty());
}

TEST_F(NvmlMonitorTest, HeatAndThePowerSupplySlowItDown) {
  using namespace clock_reasons;
  EXPECT_EQ(with_reason(software_thermal), Disturbance::thermal_slowdown);
  EXPECT_EQ(with_reason(hardware_thermal | hardware_slowdown), Disturbance::thermal_slowdown);
  EXPECT_EQ(with_reason(power_brake | hardware_slowdown), Disturbance::power_brake);
  EXPECT_EQ(with_reason(hardware_slowdown), Disturbance::hardware_slowdown);
  constexpr std::uint64_t idle = 0x1;
  constexpr std::uint64_t chosen_clocks = 0x2;
  EXPECT_TRUE(with_reason(idle | chosen_clocks).empty());
}

TEST_F(NvmlMonitorTest, ASlowdownThatNoReadingMetIsFoundInItsTime) {
  NvmlMonitor watching = monitor();
  watching.begin();
  state_.thermal_ns += 1000;
  EXPECT_EQ(watching.end(), Disturbance::thermal_slowdown);
  EXPECT_TRUE(measure(watching).empty()) << "it has passed";
}

TEST_F(NvmlMonitorTest, OneThatHadEndedBeforeTheLastReadingCounts) {
  NvmlMonitor watching = monitor();
  state_.reasons = clock_reasons::hardware_thermal;
  state_.readings_with_reasons = 1;
  EXPECT_EQ(measure(watching), Disturbance::thermal_slowdown);
}

TEST_F(NvmlMonitorTest, ThePowerLimitIsNoDisturbanceButSaid) {
  NvmlMonitor watching = monitor();
  EXPECT_TRUE(measure(watching).empty());
  state_.reasons = clock_reasons::power_cap;
  state_.clock_mhz = 1200;
  EXPECT_TRUE(measure(watching).empty()) << "nor is the clock that comes with it";
  ASSERT_EQ(watching.closing_notes().size(), 1U);
  EXPECT_TRUE(contains(watching.closing_notes()[0], "in 1 of 2 measurements"));
}

TEST_F(NvmlMonitorTest, AClockFarBelowThatOfTheRunIsADisturbance) {
  NvmlMonitor watching = monitor();
  EXPECT_TRUE(measure(watching).empty());
  state_.clock_mhz = 1900;
  EXPECT_TRUE(measure(watching).empty()) << "a few percent";
  state_.clock_mhz = 1500;
  EXPECT_EQ(measure(watching), Disturbance::low_clock);
  state_.clock_mhz = 1980;
  EXPECT_TRUE(measure(watching).empty());
}

/// A process of this user that does nothing, and is no descendant of the test.
class Stranger {
 public:
  Stranger() {
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) std::abort();
    const pid_t parent = fork();
    if (parent == 0) {
      // Its child is adopted when it ends.
      const pid_t child = fork();
      if (child == 0) {
        for (;;) pause();
      }
      const bool told = write(ends[1], &child, sizeof child) == sizeof child;
      _exit(told ? 0 : 1);
    }
    waitpid(parent, nullptr, 0);
    if (read(ends[0], &id_, sizeof id_) != sizeof id_) std::abort();
    close(ends[0]);
    close(ends[1]);
  }
  ~Stranger() { kill(id_, SIGKILL); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  int id() const noexcept { return id_; }

 private:
  pid_t id_ = 0;
};

TEST(Kinship, TellsDescendantsFromOthers) {
  EXPECT_EQ(kinship_of(getpid()), Kinship::own);
  const Stranger stranger;
  EXPECT_EQ(kinship_of(stranger.id()), Kinship::other);
  EXPECT_FALSE(process_name(stranger.id()).empty());
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  EXPECT_EQ(kinship_of(child), Kinship::own);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(kinship_of(child), Kinship::unknown);
}

TEST_F(NvmlMonitorTest, AnotherProcessIsNamedBeforeTheRunAndFoundDuringIt) {
  const Stranger stranger;
  state_.process = static_cast<unsigned>(stranger.id());
  state_.process_percent = 87;
  NvmlMonitor watching = monitor();
  ASSERT_EQ(watching.opening_notes().size(), 1U);
  const std::string note = watching.opening_notes()[0];
  EXPECT_TRUE(contains(note, process_name(stranger.id()) + " (process " +
                                 std::to_string(stranger.id()) + ") uses 87% of this GPU"))
      << note;
  EXPECT_EQ(measure(watching), Disturbance::other_load);
  state_.process = 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  EXPECT_TRUE(measure(watching).empty()) << "it has ended";
}

TEST_F(NvmlMonitorTest, TheRunItselfIsNoOtherLoad) {
  state_.process = static_cast<unsigned>(getpid());
  state_.process_percent = 100;
  NvmlMonitor watching = monitor();
  EXPECT_TRUE(watching.opening_notes().empty());
  EXPECT_TRUE(measure(watching).empty());
}

// By numbers of another container, or of the host, which may be this very process's.
TEST_F(NvmlMonitorTest, AProcessOutOfSightCountsIfItWasBusyBefore) {
  constexpr unsigned out_of_sight = 0x7ffffff0;
  NvmlMonitor later = monitor();
  state_.process = out_of_sight;
  state_.process_percent = 50;
  EXPECT_TRUE(measure(later).empty());
  NvmlMonitor earlier = monitor();
  EXPECT_EQ(earlier.opening_notes().size(), 1U);
  EXPECT_EQ(measure(earlier), Disturbance::other_load);
}

TEST_F(NvmlMonitorTest, UseWithoutAProcessIsSaid) {
  state_.utilisation_percent = 40;
  ASSERT_EQ(monitor().opening_notes().size(), 1U);
  EXPECT_TRUE(contains(monitor().opening_notes()[0], "something uses 40% of this GPU"));
  state_.utilisation_percent = 3;
  EXPECT_TRUE(monitor().opening_notes().empty());
}

TEST_F(NvmlMonitorTest, TheLibraryIsShutDown) {
  {
    const NvmlMonitor watching = monitor();
    EXPECT_EQ(state_.starts, 1);
  }
  EXPECT_EQ(state_.starts, 0);
}

TEST(Nvml, WhatIsMissingIsSaid) {
  const test::FakeNvml nvml;
  const auto why = [](const std::string& library, const std::string& address) {
    const Result<NvmlDevice> device = NvmlDevice::open(library, address);
    EXPECT_EQ(device.status().code(), StatusCode::unavailable);
    return device.status().message();
  };
  EXPECT_TRUE(contains(why("libno-such-library.so.1", test::fake_pci_address), "libno-such"));
  EXPECT_TRUE(contains(why("libc.so.6", test::fake_pci_address), "libc.so.6 is no NVML"));
  EXPECT_TRUE(contains(why(test::FakeNvml::path(), "00000000:99:00.0"), "00000000:99:00.0"));
  EXPECT_EQ(nvml.state->starts, 0) << "shut down all the same";
}

TEST(Monitors, AGpuThatCannotBeWatchedIsSaidToBeSo) {
  DeviceInfo gpu;
  gpu.memory = MemorySpace::device;
  gpu.pci_address = "ffffffff:ff:ff.f";
  const auto monitor = make_monitor(gpu);
  ASSERT_EQ(monitor->opening_notes().size(), 1U);
  EXPECT_TRUE(contains(monitor->opening_notes()[0], "are watched: "));
  monitor->begin();
  EXPECT_TRUE(monitor->end().empty());
}

TEST(HostMonitors, LoadBesideTheMeasurementsIsSaidAndMarked) {
  double load = 0.2;
  const auto load_average = [&] { return load; };
  HostMonitor quiet(4, 4, load_average);
  EXPECT_TRUE(quiet.opening_notes().empty());
  EXPECT_TRUE(quiet.end().empty());
  load = 4.5;
  EXPECT_TRUE(quiet.end().empty()) << "the run itself";
  load = 5.5;
  EXPECT_EQ(quiet.end(), Disturbance::other_load);

  load = 2.5;
  EXPECT_TRUE(HostMonitor(4, 8, load_average).opening_notes().empty()) << "four are left";
  const HostMonitor crowded(4, 4, load_average);
  ASSERT_EQ(crowded.opening_notes().size(), 1U);
  EXPECT_TRUE(contains(crowded.opening_notes()[0], "the load average is 2.5 on 4 processors"));
}

}  // namespace
}  // namespace fastnorm::measure
