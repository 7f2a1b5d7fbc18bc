// Candidates that take the process, the device or the patience of their run with them: with real
// processes, real kernels and real faults.
#include "tuner/worker.hpp"

#include "core/tuning_store.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/temporary_folder.hpp"
#include "tuner/faulty_backend.hpp"
#include "tuner/faulty_worker.hpp"
#include "tuner/journaled_run.hpp"
#include "tuner/search_space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace fastnorm::tuner {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::Fault;
using test::FaultyBackend;
using test::FaultyConfig;
using test::Rank;
using test::TemporaryFolder;

constexpr std::uint64_t seed = 3;
constexpr measure::SampleLimits few_samples{3, 3, 0};

WorkerProgram program_with_faults() { return {"/proc/self/exe", {test::faulty_worker}, {}}; }

/// So that what hangs does not do so for long.
PatienceLimits little_patience() {
  PatienceLimits limits;
  limits.least = 1000ms;
  limits.factor = 3;
  return limits;
}

Job job_of(std::size_t number, const Extents& extents) {
  Job job{number, {}, Problem::create(test::group_norm_desc(extents, 4)).value()};
  job.workload.name = "case_" + std::to_string(number);
  job.workload.affine = measure::Affine::present;
  return job;
}

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class WorkerTest : public test::TargetTest {
 protected:
  void SetUp() override {
    test::TargetTest::SetUp();
    if (IsSkipped()) return;
    use_backend(Rank::last_choice);
  }

  void use_backend(Rank rank) {
    const Backend& real = *test::target_backends().front();
    backend_ = std::make_unique<FaultyBackend>(real, rank);
    target_ = {backend_.get(), real.device(-1).value()};
  }

  std::string backend_name() const { return std::string(backend_->name()); }

  Contender faulty(Fault fault) const {
    return {&backend_->faulty(), Config::of(FaultyConfig{fault})};
  }

  Contender standard(const Job& job) const {
    const SearchSpace space = make_search_space(job.problem, target_, {}, seed).value();
    return space.contenders[space.default_index];
  }

  std::unique_ptr<FaultyBackend> backend_;
  Candidate target_;
};

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
  const Job job = job_of(0, {2, 8, 64});
  const Result<double> copy_us = worker.load(backend_name(), job, seed);
  ASSERT_TRUE(copy_us.ok()) << copy_us.status().message();
  EXPECT_GT(copy_us.value(), 0);
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
  const Job job = job_of(0, {2, 8, 64});
  ASSERT_TRUE(worker.load(backend_name(), job, seed).ok());
  const Result<std::vector<double>> samples = worker.time(faulty(Fault::segfault), few_samples);
  EXPECT_EQ(samples.status().message(), test::words_for(Fault::segfault));
  EXPECT_TRUE(worker.time(standard(job), few_samples).ok());
}

TEST_F(WorkerTest, AProgramThatDiesAgainAndAgainIsGivenUp) {
  Worker worker({"/proc/self/exe", {test::dying_worker}, {}});
  const Result<double> loaded = worker.load(backend_name(), job_of(0, {2, 8, 64}), seed);
  EXPECT_EQ(loaded.status().message(),
            "loading case_0 failed, 3 times in a row: the process was killed by SIGABRT");
  EXPECT_EQ(worker.process_health().message(), loaded.status().message());
  EXPECT_FALSE(worker.devices().ok()) << "nor does it do anything else";
}

TEST_F(WorkerTest, AProgramThatIsNotThereIsNamed) {
  Worker worker({"/there/is/no/such/program", {}, {}});
  const Result<DeviceList> list = worker.devices();
  EXPECT_EQ(list.status().code(), StatusCode::unavailable);
  EXPECT_NE(list.status().message().find("cannot start /there/is/no/such/program: No such file"),
            std::string::npos)
      << list.status().message();
}

// ---- Whole runs.

class WorkerRunTest : public WorkerTest {
 protected:
  /// One session of the run over these jobs.
  Status run(WorkerProgram program, const std::vector<Job>& jobs) {
    Result<Journal> journal =
        Journal::open(journal_path_, {"2026-12-02", "a run of the tests"}, Journal::Start::resumed);
    if (!journal.ok()) return journal.status();
    std::vector<Place> places;
    places.push_back(
        {target_, database_, std::make_unique<Worker>(std::move(program), little_patience()), {}});
    report_.emplace();
    return JournaledRun(options_, jobs, journal.value(), *report_).run(places);
  }

  std::vector<JournalRecord> records() const {
    return Journal::open(journal_path_, {"", "a run of the tests"}, Journal::Start::resumed)
        .value()
        .records();
  }

  /// How often the fault's candidate was verified, and with what words.
  std::vector<std::string> verdicts_on(Fault fault) const {
    std::vector<std::string> words;
    for (const JournalRecord& record : records()) {
      const Verified* verified = std::get_if<Verified>(&record);
      if (verified != nullptr && verified->contender == faulty(fault).text()) {
        words.push_back(verified->status.message());
      }
    }
    return words;
  }

  TemporaryFolder folder_;
  fs::path database_ = folder_.path() / "db.yaml";
  fs::path journal_path_ = folder_.path() / "run.journal";
  Options options_ = [] {
    Options options;
    options.budget = {Budget::Unit::evaluations, 100'000};
    options.seed = seed;
    return options;
  }();
  std::optional<Report> report_;
};

TEST_F(WorkerRunTest, EachFaultCostsOneEvaluationAndTheRunGoesOn) {
  const std::vector<Job> jobs = {job_of(0, {2, 8, 64}), job_of(1, {3, 8, 500})};
  const Status ended = run(program_with_faults(), jobs);
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
  const std::vector<TuningFile> files = read_tuning_path(database_);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_GE(files[0].entries.size(), jobs.size());
  for (const TuningEntry& entry : files[0].entries) EXPECT_NE(entry.strategy, "faulty");

  // Resumed, it needs no worker at all.
  const std::string journal = text_of(journal_path_);
  const std::string database = text_of(database_);
  const Status resumed = run({"/there/is/no/such/program", {}, {}}, jobs);
  EXPECT_TRUE(resumed.ok()) << resumed.message();
  EXPECT_EQ(report_->tuned_cases(), jobs.size());
  EXPECT_EQ(text_of(journal_path_), journal);
  EXPECT_EQ(text_of(database_), database);
}

TEST_F(WorkerRunTest, ADefaultWithAFaultFailsItsCaseAlone) {
  use_backend(Rank::default_choice);
  const Status ended = run(program_with_faults(), {job_of(0, {2, 8, 64}), job_of(1, {3, 8, 500})});
  EXPECT_TRUE(ended.ok()) << ended.message();
  EXPECT_EQ(report_->failed_cases(), 2U);
  EXPECT_EQ(verdicts_on(Fault::segfault).size(), 2U);
}

TEST_F(WorkerRunTest, WhatDiesWhileACaseIsTakenUpAgainEndsTheRunAndNobodyIsBlamed) {
  // A name under which there is another program once the first candidate has died.
  const fs::path name = folder_.path() / "worker";
  fs::create_symlink(fs::read_symlink("/proc/self/exe"), name);
  Worker worker({name, {test::faulty_worker}, {}}, little_patience());
  const Job job = job_of(0, {2, 8, 64});
  ASSERT_TRUE(worker.load(backend_name(), job, seed).ok());
  fs::remove(name);
  fs::create_symlink("/bin/false", name);
  EXPECT_EQ(worker.verify(faulty(Fault::kill)).message(), test::words_for(Fault::kill));
  EXPECT_TRUE(worker.health().ok());
  const Status after = worker.verify(standard(job));
  EXPECT_EQ(after.message(),
            "loading case_0 failed, 3 times in a row: the process ended with exit status 1");
  EXPECT_EQ(worker.health().message(), after.message());

  // Within a run.
  const Status ended = run({"/bin/false", {}, {}}, {job});
  EXPECT_NE(ended.message().find("3 times in a row"), std::string::npos) << ended.message();
  EXPECT_TRUE(records().empty());
}

}  // namespace
}  // namespace fastnorm::tuner
