// SPDX-License-Identifier: Apache-2.0
// Runs that are cut off and go on, on recorded measurements.
#include "core/tuning_store.hpp"
#include "support/shapes.hpp"
#include "support/temporary_folder.hpp"
#include "tuner/fake_sites.hpp"
#include "tuner/job_queue.hpp"
#include "tuner/journaled_site.hpp"
#include "tuner/target_run.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace fastnorm::tuner {
namespace {

namespace fs = std::filesystem;
using test::FakeSite;
using test::FakeTarget;
using test::InventingSite;
using test::RecordedSite;
using test::TemporaryFolder;

constexpr std::uint64_t seed = 7;
const RunBegun a_run{"2026-12-01", "a run of the tests"};

// Exit statuses of a session.
constexpr int done = 0;
constexpr int failed = 3;
constexpr int cut_off = 4;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Shapes near enough to each other that what the database knows of one is tried for the next.
std::vector<Job> some_jobs() {
  std::vector<Job> jobs;
  for (const std::int64_t n : {2, 3, 4, 5, 6, 7}) {
    measure::Case workload;
    workload.name = "case_" + std::to_string(n);
    jobs.push_back(
        {jobs.size(), workload, Problem::create(test::group_norm_desc({n, 8, 16}, 4)).value()});
  }
  return jobs;
}

/// One folder's run, its database and its journal. Each session with it is a process.
class Sessions {
 public:
  Sessions(const fs::path& folder, const Budget& budget)
      : database_(folder / "db.yaml"), journal_(folder / "run.journal"), budget_(budget) {}

  const fs::path& database() const { return database_; }
  const fs::path& journal() const { return journal_; }

  std::vector<JournalRecord> records() const {
    const Result<Journal> journal =
        Journal::open(journal_, database_, a_run, Journal::Start::resumed);
    EXPECT_TRUE(journal.ok()) << journal.status().message();
    return journal.ok() ? journal.value().records() : std::vector<JournalRecord>();
  }

  /// The exit status of a session whose measurements are invented.
  int invent(std::uint64_t noise) const {
    return wait_for(start([&](Journal& journal, const FakeTarget& target) {
      InventingSite site(target, database_, noise);
      return run(target, site, journal, never);
    }));
  }

  /// Starts one that goes on with the run, on recorded measurements.
  pid_t start_to_resume(const std::vector<JournalRecord>& recording,
                        const RecordedSite::Moment& moment,
                        const std::function<bool()>& interrupted = never) const {
    return start([&](Journal& journal, const FakeTarget& target) {
      RecordedSite site(target, database_, recording, journal.records(), moment);
      return run(target, site, journal, interrupted);
    });
  }

  int resume(const std::vector<JournalRecord>& recording, const RecordedSite::Moment& moment,
             const std::function<bool()>& interrupted = never) const {
    return wait_for(start_to_resume(recording, moment, interrupted));
  }

  /// The exit status, or -1 for one that was killed.
  static int wait_for(pid_t session) {
    int status = 0;
    EXPECT_EQ(waitpid(session, &status, 0), session);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  static bool never() { return false; }

  template <class Run>
  pid_t start(const Run& run) const {
    const pid_t child = fork();
    if (child != 0) return child;
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(1);
    Result<Journal> journal = Journal::open(journal_, database_, a_run, Journal::Start::resumed);
    if (!journal.ok()) _exit(2);
    const FakeTarget target;
    _exit(run(journal.value(), target).ok() ? done : failed);
  }

  Status run(const FakeTarget& target, FakeSite& site, Journal& journal,
             const std::function<bool()>& interrupted) const {
    RunClock clock(site.clock_source());
    RecordedRun recorded = recorded_run(journal.records());
    JournaledSite journaled(target.candidate, 0, site, recorded, journal, clock);
    const std::vector<Job> jobs = some_jobs();
    Ledger ledger(budget_, jobs.size(), clock);
    Report report;
    JobQueue queue(jobs, {});
    return TargetRun(target.candidate, journaled, {{SearchMethod::guided, seed}}, report,
                     interrupted)
        .run([&] { return queue.next(0); }, ledger);
  }

  fs::path database_;
  fs::path journal_;
  Budget budget_;
};

void nothing() {}
void wait_a_little() { std::this_thread::sleep_for(std::chrono::microseconds(100)); }

/// Counts moments, or whatever it is asked for; true from one of them on.
class Countdown {
 public:
  explicit Countdown(int count) : left_(count) {}
  bool over() { return left_-- <= 0; }

 private:
  int left_;
};

class Resume : public ::testing::TestWithParam<Budget> {
 protected:
  void SetUp() override {
    ASSERT_EQ(unbroken_.invent(1), done);
    recording_ = unbroken_.records();
    ASSERT_GT(recording_.size(), 300U) << "too short a run to be cut off anywhere";
  }

  void expect_unbroken(const Sessions& sessions) const {
    EXPECT_EQ(text_of(sessions.database()), text_of(unbroken_.database()));
    // Down to the records: nothing was measured again, nor in another order.
    EXPECT_EQ(text_of(sessions.journal()), text_of(unbroken_.journal()));
  }

  void expect_to_end_as_unbroken(const Sessions& sessions) const {
    const int status = sessions.resume(recording_, nothing);
    EXPECT_NE(status, RecordedSite::unanswered) << "a finished evaluation is asked for again";
    EXPECT_EQ(status, done);
    expect_unbroken(sessions);
  }

  TemporaryFolder folder_;
  Sessions unbroken_{folder_.path(), GetParam()};
  std::vector<JournalRecord> recording_;
};

TEST_P(Resume, TheSameMeasurementsGiveTheSameDatabase) {
  const TemporaryFolder folder;
  expect_to_end_as_unbroken({folder.path(), GetParam()});
}

TEST_P(Resume, AFinishedRunMeasuresNothing) {
  ASSERT_EQ(unbroken_.resume({}, nothing), done);
  EXPECT_EQ(unbroken_.records().size(), recording_.size());
}

TEST_P(Resume, WhatSomebodyStoredMeanwhileStays) {
  TuningFile file = read_tuning_path(unbroken_.database()).at(0);
  file.entries.erase(file.entries.begin() + 1, file.entries.end());
  file.entries[0].stats.median_us = 1;
  ASSERT_TRUE(merge_into_file(unbroken_.database(), file).ok());
  ASSERT_EQ(unbroken_.resume({}, nothing), done);
  EXPECT_EQ(read_tuning_path(unbroken_.database()).at(0).entries[0].stats.median_us, 1);
}

TEST_P(Resume, ADatabaseThatWasLostMeanwhileIsWrittenAgain) {
  const std::string before = text_of(unbroken_.database());
  std::filesystem::remove(unbroken_.database());
  ASSERT_EQ(unbroken_.resume({}, nothing), done);
  EXPECT_EQ(text_of(unbroken_.database()), before);
}

/// Until a journal has grown to so many bytes, however slow the machine is; not for ever.
void wait_until_written(const std::filesystem::path& journal, double bytes) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::error_code missing;
  while (std::chrono::steady_clock::now() < deadline) {
    const auto size = std::filesystem::file_size(journal, missing);
    if (!missing && static_cast<double>(size) >= bytes) return;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

TEST_P(Resume, KilledAtRandomMomentsItEndsInTheDatabaseOfTheUnbrokenRun) {
  constexpr int kills = 20;
  std::mt19937 random(20);
  std::uniform_real_distribution<double> share(0, 1);
  std::uniform_real_distribution<double> later_us(0, 500);
  const auto whole = static_cast<double>(text_of(unbroken_.journal()).size());

  int in_the_middle = 0;
  for (int round = 0; round < kills; ++round) {
    SCOPED_TRACE(round);
    const TemporaryFolder folder;
    const Sessions sessions(folder.path(), GetParam());
    const pid_t session = sessions.start_to_resume(recording_, wait_a_little);
    wait_until_written(sessions.journal(), share(random) * whole);
    std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(later_us(random)));
    kill(session, SIGKILL);
    const int status = Sessions::wait_for(session);
    ASSERT_TRUE(status == -1 || status == done) << status;
    const std::size_t finished = sessions.records().size();
    if (finished > 0 && finished < recording_.size()) ++in_the_middle;
    expect_to_end_as_unbroken(sessions);
  }
  EXPECT_GE(in_the_middle, kills / 2);
}

/// Moments of a run: those around each storing of winners, which a random kill seldom meets, and
/// some of those between two answers.
std::vector<int> telling_moments(const std::vector<JournalRecord>& recording) {
  constexpr int stride = 11;
  std::vector<int> moments;
  int moment = 0;
  for (const JournalRecord& record : recording) {
    const bool stored = std::holds_alternative<WinnersStored>(record);
    if (stored) moments.insert(moments.end(), {moment, moment + 1});
    if (!stored && moment % stride == 0) moments.push_back(moment);
    moment += stored ? 2 : 1;
  }
  return moments;
}

TEST_P(Resume, CutOffBetweenTwoAnswersItEndsInTheDatabaseOfTheUnbrokenRun) {
  for (const int moment : telling_moments(recording_)) {
    SCOPED_TRACE(moment);
    const TemporaryFolder folder;
    const Sessions sessions(folder.path(), GetParam());
    Countdown countdown(moment);
    const int status = sessions.resume(recording_, [&] {
      if (countdown.over()) _exit(cut_off);
    });
    ASSERT_EQ(status, cut_off);
    expect_to_end_as_unbroken(sessions);
  }
}

TEST_P(Resume, CutOffAgainAndAgainItGetsThere) {
  const TemporaryFolder folder;
  const Sessions sessions(folder.path(), GetParam());
  constexpr int step = 40;
  int status = cut_off;
  int rounds = 0;
  while (status == cut_off) {
    ASSERT_LT(++rounds, 100);
    Countdown countdown(step);
    status = sessions.resume(recording_, [&] {
      if (countdown.over()) _exit(cut_off);
    });
  }
  EXPECT_EQ(status, done);
  EXPECT_GT(rounds, 5);
  expect_unbroken(sessions);
}

TEST_P(Resume, CtrlCLosesNothing) {
  for (const int count : {0, 1, 50, 120}) {
    const TemporaryFolder folder;
    const Sessions sessions(folder.path(), GetParam());
    Countdown countdown(count);
    EXPECT_EQ(sessions.resume(recording_, nothing, [&] { return countdown.over(); }), done);
    EXPECT_LT(sessions.records().size(), recording_.size());
    expect_to_end_as_unbroken(sessions);
  }
}

TEST_P(Resume, AFullDiskLosesNothing) {
  const std::size_t whole = text_of(unbroken_.journal()).size();
  for (const std::size_t most : {whole / 20, whole / 3, whole - 10}) {
    const TemporaryFolder folder;
    const Sessions sessions(folder.path(), GetParam());
    bool limited = false;
    const int status = sessions.resume(recording_, [&] {
      if (limited) return;
      limited = true;
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{most, most};
      if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(1);
    });
    EXPECT_EQ(status, failed);
    EXPECT_LE(text_of(sessions.journal()).size(), most);
    expect_to_end_as_unbroken(sessions);
  }
}

INSTANTIATE_TEST_SUITE_P(Budgets, Resume,
                         ::testing::Values(Budget{Budget::Unit::seconds, 12},
                                           Budget{Budget::Unit::evaluations, 240}),
                         [](const auto& info) {
                           return info.param.unit == Budget::Unit::seconds ? "seconds"
                                                                           : "evaluations";
                         });

// A run on another build, or beside another one that writes the same database, asks in another
// order: what is there is found all the same.
TEST(RecordedCase, AnswersAreFoundByTheQuestion) {
  const auto timed = [](const char* contender, double us, const measure::SampleLimits& limits) {
    return Timed{{0, 0}, RunClock::Duration(1), contender, limits, {}, {}, {us}};
  };
  constexpr measure::SampleLimits few{3, 3, 0};
  constexpr measure::SampleLimits more{4, 8, 0.02};
  const std::vector<JournalRecord> records = {
      timed("a", 1, few), timed("b", 2, few), timed("a", 3, more), timed("a", 4, few),
      Verified{{0, 0}, RunClock::Duration(1), "a", Placement::in_place, {}}};
  RecordedRun run = recorded_run(records);
  RecordedCase& found = run[{0, 0}];
  EXPECT_EQ(found.take_timed("a", more)->samples_us[0], 3);
  EXPECT_EQ(found.take_timed("b", few)->samples_us[0], 2);
  EXPECT_EQ(found.take_timed("a", few)->samples_us[0], 1) << "the first of two";
  EXPECT_EQ(found.take_timed("a", few)->samples_us[0], 4);
  EXPECT_FALSE(found.take_timed("a", few)) << "each is given once";
  EXPECT_FALSE(found.take_verified("a", Placement::beside));
  EXPECT_TRUE(found.take_verified("a", Placement::in_place));
}

}  // namespace
}  // namespace fastnorm::tuner
