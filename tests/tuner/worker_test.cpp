// SPDX-License-Identifier: Apache-2.0
// Candidates that take the process, the device or the patience of their run with them: with real
// processes, real kernels and real faults.
#include "tuner/worker_fixture.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace fastnorm::tuner {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::Fault;
using test::little_patience;
using test::program_with_faults;
using test::Rank;
using test::small_job;
using test::text_of;
using test::WorkerRunTest;
using test::WorkerTest;

constexpr measure::SampleLimits few_samples{3, 3, 0};

TEST_F(WorkerTest, ReportsTheDevicesThatThisProcessSees) {
  Worker worker(program_with_faults());
  const Result<DeviceList> list = worker.devices();
  ASSERT_TRUE(list.ok()) << list.status().message();
  ASSERT_EQ(list.value().devices.size(), test::target_backends().size());
  const ListedDevice& first = list.value().devices.front();
  EXPECT_EQ(first.backend, backend_name());
  ASSERT_TRUE(first.status.ok()) << first.status.message();
  EXPECT_EQ(match(DeviceKey::of(first.info), DeviceKey::of(*target_.device)), DeviceMatch::exact);
  EXPECT_EQ(first.info.name, target_.device->name);
  EXPECT_EQ(first.info.memory_bytes, target_.device->memory_bytes);
  EXPECT_EQ(first.info.cooperative_launch, target_.device->cooperative_launch);
  EXPECT_EQ(first.info.shared_bytes_per_block, target_.device->shared_bytes_per_block);
}

TEST_F(WorkerTest, EachFaultIsTheFailureOfItsCandidateAlone) {
  Worker worker(program_with_faults(), little_patience());
  const Job job = small_job(0, {2, 8, 64});
  const Result<measure::Summary> copy = worker.load(backend_name(), job, test::worker_seed);
  ASSERT_TRUE(copy.ok()) << copy.status().message();
  EXPECT_GT(copy.value().median_us, 0);
  const Contender right = standard(job);
  for (const Fault fault : test::faults_of(test::target_space())) {
    SCOPED_TRACE(faulty(fault).text());
    const auto begin = std::chrono::steady_clock::now();
    const Status verified = worker.verify(faulty(fault));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 60s);
    EXPECT_EQ(verified.code(), StatusCode::device_error);
    EXPECT_EQ(verified.message().rfind(test::words_for(fault), 0), 0U) << verified.message();
    EXPECT_TRUE(worker.health().ok()) << worker.health().message();
    EXPECT_TRUE(worker.process_health().ok());

    const Status after = worker.verify(right);
    EXPECT_TRUE(after.ok()) << after.message();
    EXPECT_TRUE(worker.verify_in_place(right).ok());
    const Result<std::vector<double>> samples = worker.time(right, few_samples);
    ASSERT_TRUE(samples.ok()) << samples.status().message();
    EXPECT_EQ(samples.value().size(), 3U);
  }
}

TEST_F(WorkerTest, AFaultWhileTimingIsNoOther) {
  Worker worker(program_with_faults(), little_patience());
  const Job job = small_job(0, {2, 8, 64});
  ASSERT_TRUE(worker.load(backend_name(), job, test::worker_seed).ok());
  const Result<std::vector<double>> samples = worker.time(faulty(Fault::segfault), few_samples);
  EXPECT_EQ(samples.status().message(), test::words_for(Fault::segfault));
  EXPECT_TRUE(worker.time(standard(job), few_samples).ok());
}

TEST_F(WorkerTest, AProgramThatDiesAgainAndAgainIsGivenUp) {
  Worker worker({"/proc/self/exe", {test::dying_worker}, {}});
  const Result<measure::Summary> loaded =
      worker.load(backend_name(), small_job(0, {2, 8, 64}), test::worker_seed);
  EXPECT_EQ(loaded.status().message(),
            "loading case_0 failed, 3 times in a row: the process was killed by SIGABRT");
  EXPECT_EQ(worker.process_health().message(), loaded.status().message());
  EXPECT_FALSE(worker.devices().ok()) << "nor does it do anything else";
}

TEST_F(WorkerTest, AProgramThatIsNotThereIsNamed) {
  Worker worker(test::no_program());
  const Result<DeviceList> list = worker.devices();
  EXPECT_EQ(list.status().code(), StatusCode::unavailable);
  EXPECT_NE(list.status().message().find("cannot start /there/is/no/such/program: No such file"),
            std::string::npos)
      << list.status().message();
}

// ---- Whole runs.

TEST_F(WorkerRunTest, EachFaultCostsOneEvaluationAndTheRunGoesOn) {
  options_.search = SearchMethod::exhaustive;  // Another might end before it has met each fault.
  const std::vector<Job> jobs = {small_job(0, {2, 8, 64}), small_job(1, {3, 8, 500})};
  const Status ended = run({program_with_faults()}, jobs);
  ASSERT_TRUE(ended.ok()) << ended.message();
  EXPECT_EQ(report_->tuned_cases(), jobs.size());
  EXPECT_EQ(report_->failed_cases(), 0U);
  for (const Fault fault : test::faults_of(test::target_space())) {
    const std::vector<std::string> verdicts = verdicts_on(fault);
    ASSERT_EQ(verdicts.size(), jobs.size()) << faulty(fault).text();
    for (const std::string& words : verdicts) {
      EXPECT_EQ(words.rfind(test::words_for(fault), 0), 0U) << words;
    }
  }
  EXPECT_GE(entries().size(), jobs.size());
  for (const TuningEntry& entry : entries()) EXPECT_NE(entry.strategy, "faulty");

  // Resumed, it needs no worker at all.
  const std::string journal = text_of(journal_);
  const std::string database = text_of(database_);
  const Status resumed = run({test::no_program()}, jobs);
  EXPECT_TRUE(resumed.ok()) << resumed.message();
  EXPECT_EQ(report_->tuned_cases(), jobs.size());
  EXPECT_EQ(text_of(journal_), journal);
  EXPECT_EQ(text_of(database_), database);
}

TEST_F(WorkerRunTest, ADefaultWithAFaultFailsItsCaseAlone) {
  use_backend(Rank::default_choice);
  const Status ended =
      run({program_with_faults()}, {small_job(0, {2, 8, 64}), small_job(1, {3, 8, 500})});
  EXPECT_TRUE(ended.ok()) << ended.message();
  EXPECT_EQ(report_->failed_cases(), 2U);
  EXPECT_EQ(verdicts_on(Fault::segfault).size(), 2U);
}

TEST_F(WorkerRunTest, WhatDiesWhileACaseIsTakenUpAgainEndsTheRunAndNobodyIsBlamed) {
  // A name under which there is another program once the first candidate has died.
  const fs::path name = folder_.path() / "worker";
  fs::create_symlink(fs::read_symlink("/proc/self/exe"), name);
  Worker worker({name, {test::faulty_worker}, {}}, little_patience());
  const Job job = small_job(0, {2, 8, 64});
  ASSERT_TRUE(worker.load(backend_name(), job, test::worker_seed).ok());
  fs::remove(name);
  fs::create_symlink("/bin/false", name);
  EXPECT_EQ(worker.verify(faulty(Fault::kill)).message(), test::words_for(Fault::kill));
  EXPECT_TRUE(worker.health().ok());
  const Status after = worker.verify(standard(job));
  EXPECT_EQ(after.message(),
            "loading case_0 failed, 3 times in a row: the process ended with exit status 1");
  EXPECT_EQ(worker.health().message(), after.message());

  // Within a run.
  const Status ended = run({{"/bin/false", {}, {}}}, {job});
  EXPECT_NE(ended.message().find("3 times in a row"), std::string::npos) << ended.message();
  EXPECT_TRUE(records().empty());
}

}  // namespace
}  // namespace fastnorm::tuner
