// SPDX-License-Identifier: Apache-2.0
/// What the tests of workers share: real back ends with faults, and whole runs on them.
#pragma once

#include "core/tuning_store.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/temporary_folder.hpp"
#include "tuner/faulty_backend.hpp"
#include "tuner/faulty_worker.hpp"
#include "tuner/journaled_run.hpp"
#include "tuner/search_space.hpp"
#include "tuner/worker.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fastnorm::test {

inline constexpr std::uint64_t worker_seed = 3;

/// This program as a worker with faulty back ends, and one that cannot be.
inline tuner::WorkerProgram program_with_faults() {
  return {"/proc/self/exe", {faulty_worker}, {}};
}
inline tuner::WorkerProgram no_program() { return {"/there/is/no/such/program", {}, {}}; }

/// So that what hangs does not do so for long.
inline tuner::PatienceLimits little_patience() {
  tuner::PatienceLimits limits;
  limits.least = std::chrono::milliseconds(1000);
  limits.factor = 3;
  return limits;
}

inline tuner::Job small_job(std::size_t number, const Extents& extents) {
  tuner::Job job{number, {}, Problem::create(group_norm_desc(extents, 4)).value()};
  job.workload.name = "case_" + std::to_string(number);
  job.workload.affine = measure::Affine::present;
  return job;
}

inline std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The first back end of the memory space under test, with faults.
class WorkerTest : public TargetTest {
 protected:
  void SetUp() override {
    TargetTest::SetUp();
    if (!IsSkipped()) use_backend(Rank::last_choice);
  }

  void use_backend(Rank rank) {
    const Backend& real = *target_backends().front();
    backend_ = std::make_unique<FaultyBackend>(real, rank);
    target_ = {backend_.get(), backend_->device(-1).value()};
  }

  std::string backend_name() const { return std::string(backend_->name()); }

  tuner::Contender faulty(Fault fault) const {
    return {&backend_->faulty(), Config::of(FaultyConfig{fault})};
  }

  tuner::Contender standard(const tuner::Job& job) const {
    const tuner::SearchSpace space = tuner::make_search_space(job.problem, target_, {}).value();
    return space.contenders[space.default_index];
  }

  std::unique_ptr<FaultyBackend> backend_;
  Candidate target_;
};

/// Runs with a journal and a database.
class WorkerRunTest : public WorkerTest {
 protected:
  /// One session of the run over these jobs, shared by a device for each program.
  Status run(const std::vector<tuner::WorkerProgram>& programs,
             const std::vector<tuner::Job>& jobs) {
    Result<tuner::Journal> journal = open_journal();
    if (!journal.ok()) return journal.status();
    std::vector<tuner::Place> places;
    for (std::size_t gpu = 0; gpu < programs.size(); ++gpu) {
      tuner::Place place{target_, static_cast<int>(gpu), database_, nullptr, nullptr, {}};
      place.worker = std::make_unique<tuner::Worker>(programs[gpu], little_patience());
      place.monitor = measure::make_monitor(*target_.device);
      places.push_back(std::move(place));
    }
    report_.emplace();
    tuner::JournaledRun tuning(options_, jobs, journal.value(), *report_);
    Status ended = tuning.run(places);
    lost_devices_ = tuning.lost_devices();
    return ended;
  }

  std::vector<tuner::JournalRecord> records() const { return open_journal().value().records(); }

  /// What the journal says of the fault's candidate, each time that it was verified.
  std::vector<std::string> verdicts_on(Fault fault) const {
    std::vector<std::string> words;
    for (const tuner::JournalRecord& record : records()) {
      const auto* verified = std::get_if<tuner::Verified>(&record);
      if (verified != nullptr && verified->contender == faulty(fault).text()) {
        words.push_back(verified->status.message());
      }
    }
    return words;
  }

  std::vector<TuningEntry> entries() const {
    const std::vector<TuningFile> files = read_tuning_path(database_);
    return files.empty() ? std::vector<TuningEntry>() : files.front().entries;
  }

  Result<tuner::Journal> open_journal() const {
    return tuner::Journal::open(journal_, database_, {"2026-12-02", "a run of the tests"},
                                tuner::Journal::Start::resumed);
  }

  TemporaryFolder folder_;
  std::filesystem::path database_ = folder_.path() / "db.yaml";
  std::filesystem::path journal_ = folder_.path() / "run.journal";
  tuner::Options options_ = [] {
    tuner::Options options;
    options.budget = {tuner::Budget::Unit::evaluations, 100'000};
    options.seed = worker_seed;
    return options;
  }();
  std::optional<tuner::Report> report_;
  std::vector<std::string> lost_devices_;
};

}  // namespace fastnorm::test
