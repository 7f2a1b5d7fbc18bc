// SPDX-License-Identifier: Apache-2.0
// Measurements that are disturbed: repeated, marked in the database, and kept by a journal.
#include "tuner/monitored_site.hpp"

#include "core/tuning_store.hpp"
#include "measure/nvml_monitor.hpp"
#include "support/fake_nvml.hpp"
#include "support/shapes.hpp"
#include "support/temporary_folder.hpp"
#include "tuner/fake_sites.hpp"
#include "tuner/job_queue.hpp"
#include "tuner/journaled_site.hpp"
#include "tuner/target_run.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::tuner {
namespace {

using test::FakeNvmlState;
using test::FakeTarget;
using test::InventingSite;

constexpr std::uint64_t seed = 7;
constexpr RepeatPolicy without_pause{3, std::chrono::milliseconds(0), 5};

class Monitored : public ::testing::Test {
 protected:
  measure::NvmlMonitor monitor() const {
    return measure::NvmlMonitor(
        measure::NvmlDevice::open(test::FakeNvml::path(), test::fake_pci_address).value());
  }

  /// How often a measurement is taken.
  int attempts(MonitoredEvaluator& evaluator) {
    const int before = site_.timed();
    EXPECT_TRUE(evaluator.time(contender_, {3, 3, 0}).ok());
    return site_.timed() - before;
  }

  /// Counts.
  class Site final : public TuningSite, public Evaluator {
   public:
    Result<CaseStart> begin(const Job&) override { return CaseStart{}; }
    Evaluator& evaluator() override { return *this; }
    Status store(const std::vector<TuningEntry>&) override { return {}; }
    Status restore(const std::vector<TuningEntry>&) override { return {}; }
    Status verify(const Contender&) override { return {}; }
    Status verify_in_place(const Contender&) override { return {}; }
    Result<std::vector<double>> time(const Contender&, const measure::SampleLimits&) override {
      ++timed_;
      return std::vector<double>{1, 1, 1};
    }
    Status health() override { return {}; }
    int timed() const noexcept { return timed_; }

   private:
    int timed_ = 0;
  };

  test::FakeNvml nvml_;
  FakeNvmlState& state_ = *nvml_.state;
  FakeTarget target_;
  Contender contender_{&target_.steady, test::ListedVariant::config(0)};
  Site site_;
};

TEST_F(Monitored, QuietMeasurementsAreTakenOnce) {
  measure::NvmlMonitor watching = monitor();
  MonitoredEvaluator evaluator(site_, watching, without_pause);
  EXPECT_EQ(attempts(evaluator), 1);
  EXPECT_TRUE(evaluator.disturbances().empty());
  EXPECT_EQ(evaluator.tally(), "");
}

TEST_F(Monitored, ASlowdownThatPassesCostsARepetition) {
  measure::NvmlMonitor watching = monitor();
  MonitoredEvaluator evaluator(site_, watching, without_pause);
  state_.reasons = measure::clock_reasons::hardware_thermal;
  state_.readings_with_reasons = 2;
  EXPECT_EQ(attempts(evaluator), 2);
  EXPECT_TRUE(evaluator.disturbances().empty()) << "those of the last attempt";
  EXPECT_NE(evaluator.tally().find("1 of 2 measurements was disturbed (thermal_slowdown 1)"),
            std::string::npos)
      << evaluator.tally();
}

TEST_F(Monitored, OneThatStaysIsMarkedAndSoonNotRepeatedAnyMore) {
  measure::NvmlMonitor watching = monitor();
  MonitoredEvaluator evaluator(site_, watching, without_pause);
  state_.reasons = measure::clock_reasons::power_brake;
  for (int i = 0; i < without_pause.in_vain; ++i) {
    EXPECT_EQ(attempts(evaluator), without_pause.attempts);
    EXPECT_EQ(evaluator.disturbances(), Disturbance::power_brake);
  }
  EXPECT_EQ(attempts(evaluator), 1);
  EXPECT_EQ(evaluator.disturbances(), Disturbance::power_brake);
  state_.reasons = 0;
  EXPECT_EQ(attempts(evaluator), 1);
  EXPECT_TRUE(evaluator.disturbances().empty());
  state_.reasons = measure::clock_reasons::power_brake;
  EXPECT_EQ(attempts(evaluator), without_pause.attempts) << "it may pass again";
}

TEST_F(Monitored, OtherLoadIsMarkedAndNotWaitedFor) {
  constexpr unsigned out_of_sight = 0x7ffffff0;
  state_.process = out_of_sight;
  state_.process_percent = 30;
  measure::NvmlMonitor watching = monitor();
  MonitoredEvaluator evaluator(site_, watching, without_pause);
  EXPECT_EQ(attempts(evaluator), 1);
  EXPECT_EQ(evaluator.disturbances(), Disturbance::other_load);
}

/// A run over one case on a GPU that is throttled from the start, but for the journal's part.
class MonitoredRun : public Monitored {
 protected:
  Status run(const RunBegun& begun, Journal::Start start) {
    Result<Journal> journal =
        Journal::open(folder_.path() / "run.journal", folder_.path() / "db.yaml", begun, start);
    if (!journal.ok()) return journal.status();
    InventingSite invented(target_, database(), 3);
    measure::NvmlMonitor watching = monitor();
    MonitoredSite monitored(invented, watching, without_pause);
    RunClock clock(invented.clock_source());
    RecordedRun recorded = recorded_run(journal.value().records());
    JournaledSite site(target_.candidate, 0, monitored, recorded, journal.value(), clock);
    Ledger ledger({Budget::Unit::evaluations, 20}, jobs_.size(), clock);
    Report report;
    JobQueue queue(jobs_, {});
    return TargetRun(target_.candidate, site, {{SearchMethod::guided, seed}}, report,
                     [] { return false; })
        .run([&] { return queue.next(0); }, ledger);
  }

  std::filesystem::path database() const { return folder_.path() / "db.yaml"; }

  Disturbances stored() const {
    const std::vector<TuningFile> files = read_tuning_path(database());
    EXPECT_EQ(files.size(), 1U);
    Disturbances all;
    for (const TuningFile& file : files) {
      EXPECT_FALSE(file.entries.empty());
      for (const TuningEntry& entry : file.entries) all |= entry.stats.disturbed_by;
    }
    return all;
  }

  test::TemporaryFolder folder_;
  std::vector<Job> jobs_{
      {0, measure::Case{}, Problem::create(test::group_norm_desc({2, 8, 16}, 4)).value()}};
};

TEST_F(MonitoredRun, QuietOnesLeaveNoMark) {
  ASSERT_TRUE(run({"2026-12-01", "quiet"}, Journal::Start::anew).ok());
  EXPECT_TRUE(stored().empty());
}

TEST_F(MonitoredRun, EntriesSayWhatDisturbedTheirFinal) {
  state_.reasons = measure::clock_reasons::software_thermal;
  ASSERT_TRUE(run({"2026-12-01", "hot"}, Journal::Start::anew).ok());
  EXPECT_EQ(stored(), Disturbance::thermal_slowdown);
}

TEST_F(MonitoredRun, WhatIsResumedKeepsTheMarks) {
  state_.reasons = measure::clock_reasons::software_thermal;
  ASSERT_TRUE(run({"2026-12-01", "hot"}, Journal::Start::anew).ok());
  // All of it is in the journal but that the winners were stored, and the GPU has cooled down.
  std::filesystem::remove(database());
  state_.reasons = 0;
  const std::filesystem::path journal = folder_.path() / "run.journal";
  std::ostringstream read;
  read << std::ifstream(journal, std::ios::binary).rdbuf();
  std::string text = read.str();
  text.resize(text.rfind('\n', text.size() - 2) + 1);
  std::ofstream(journal, std::ios::binary) << text;
  ASSERT_TRUE(run({"2026-12-01", "hot"}, Journal::Start::resumed).ok());
  EXPECT_EQ(stored(), Disturbance::thermal_slowdown);
}

}  // namespace
}  // namespace fastnorm::tuner
