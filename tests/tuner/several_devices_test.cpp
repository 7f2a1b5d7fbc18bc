// SPDX-License-Identifier: Apache-2.0
// Runs that several devices share. The devices are simulated: each is a worker process of its own
// on the one device that there is.
#include "tuner/worker_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace fastnorm::tuner {
namespace {

using test::Fault;
using test::program_with_faults;
using test::Rank;
using test::small_job;
using test::text_of;

class SeveralDevices : public test::WorkerRunTest {
 protected:
  SeveralDevices() {
    options_.budget = {Budget::Unit::evaluations, 15};
    for (const std::int64_t n : {2, 3, 4, 5, 6}) {
      jobs_.push_back(small_job(jobs_.size(), {n, 8, 64}));
    }
  }

  /// The devices that took each case up.
  std::map<std::size_t, std::vector<std::size_t>> devices_of_jobs() const {
    std::map<std::size_t, std::vector<std::size_t>> devices;
    for (const JournalRecord& record : records()) {
      if (const auto* begun = std::get_if<CaseBegun>(&record)) {
        devices[begun->tuning.job].push_back(begun->tuning.target);
      }
    }
    return devices;
  }

  void expect_an_entry_for_each_job() const {
    for (const Job& job : jobs_) {
      const TuningShape shape = TuningShape::of(job.problem);
      const std::vector<TuningEntry> all = entries();
      EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const TuningEntry& entry) {
        return entry.shape == shape;
      })) << job.problem.to_string();
    }
  }

  std::vector<Job> jobs_;
};

TEST_F(SeveralDevices, EachCaseIsTunedOnceAndAllGoIntoOneFile) {
  const Status ended = run({program_with_faults(), program_with_faults()}, jobs_);
  ASSERT_TRUE(ended.ok()) << ended.message();
  EXPECT_EQ(report_->tuned_cases(), jobs_.size());
  EXPECT_TRUE(lost_devices_.empty());
  std::set<std::size_t> devices;
  for (const auto& [job, of_job] : devices_of_jobs()) {
    EXPECT_EQ(of_job.size(), 1U) << job;
    devices.insert(of_job.begin(), of_job.end());
  }
  EXPECT_EQ(devices, (std::set<std::size_t>{0, 1}));
  EXPECT_EQ(devices_of_jobs().size(), jobs_.size());
  expect_an_entry_for_each_job();
}

TEST_F(SeveralDevices, ResumedTheyMeasureNothingAgain) {
  ASSERT_TRUE(run({program_with_faults(), program_with_faults()}, jobs_).ok());
  const std::string journal = text_of(journal_);
  const std::string database = text_of(database_);
  const Status resumed = run({test::no_program(), test::no_program()}, jobs_);
  EXPECT_TRUE(resumed.ok()) << resumed.message();
  EXPECT_EQ(report_->tuned_cases(), jobs_.size());
  EXPECT_EQ(text_of(journal_), journal);
  EXPECT_EQ(text_of(database_), database);
}

TEST_F(SeveralDevices, CutOffTheyGoOnWithTheirOwnCases) {
  ASSERT_TRUE(run({program_with_faults(), program_with_faults()}, jobs_).ok());
  const auto unbroken = devices_of_jobs();
  const std::string whole = text_of(journal_);
  const std::size_t half = whole.find('\n', whole.size() / 2);
  std::ofstream(journal_, std::ios::trunc) << whole.substr(0, half + 1);
  const auto before = devices_of_jobs();
  ASSERT_LT(before.size(), unbroken.size());

  const Status resumed = run({program_with_faults(), program_with_faults()}, jobs_);
  ASSERT_TRUE(resumed.ok()) << resumed.message();
  EXPECT_EQ(report_->tuned_cases(), jobs_.size());
  EXPECT_EQ(text_of(journal_).rfind(whole.substr(0, half + 1), 0), 0U);
  for (const auto& [job, devices] : devices_of_jobs()) {
    EXPECT_EQ(devices.size(), 1U) << "case " << job << " is taken up again";
  }
  expect_an_entry_for_each_job();
}

TEST_F(SeveralDevices, WhatOneCannotDoTheOthersTakeOver) {
  const WorkerProgram dying{"/proc/self/exe", {test::dying_worker}, {}};
  const Status ended = run({program_with_faults(), dying}, jobs_);
  ASSERT_TRUE(ended.ok()) << ended.message();
  EXPECT_EQ(report_->tuned_cases(), jobs_.size());
  ASSERT_EQ(lost_devices_.size(), 1U);
  EXPECT_EQ(lost_devices_[0].rfind("GPU 1 could not go on, and the others took over: ", 0), 0U)
      << lost_devices_[0];
  EXPECT_NE(lost_devices_[0].find("killed by SIGABRT"), std::string::npos) << lost_devices_[0];
  expect_an_entry_for_each_job();
}

TEST_F(SeveralDevices, WhereNoneCanGoOnTheRunEnds) {
  const WorkerProgram dying{"/proc/self/exe", {test::dying_worker}, {}};
  const Status ended = run({dying, dying}, jobs_);
  EXPECT_NE(ended.message().find("killed by SIGABRT"), std::string::npos) << ended.message();
  EXPECT_EQ(report_->tuned_cases(), 0U);
}

TEST_F(SeveralDevices, AFaultOnOneIsNothingToTheOther) {
  use_backend(Rank::default_choice);  // A segmentation fault, in every case.
  const Status ended = run({program_with_faults(), program_with_faults()}, jobs_);
  EXPECT_TRUE(ended.ok()) << ended.message();
  EXPECT_EQ(report_->failed_cases(), jobs_.size());
  EXPECT_EQ(verdicts_on(Fault::segfault).size(), jobs_.size());
}

}  // namespace
}  // namespace fastnorm::tuner
