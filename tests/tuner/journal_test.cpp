// SPDX-License-Identifier: Apache-2.0
#include "tuner/journal.hpp"

#include "support/temporary_folder.hpp"

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace fastnorm::tuner {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const RunBegun a_run{"2026-12-01", "seed 1"};

JournalRecord answer(int number) {
  return Verified{{0, 0}, 5us, "rows number=" + std::to_string(number), Placement::beside, {}};
}

class JournalTest : public ::testing::Test {
 protected:
  Result<Journal> open(Journal::Start start, const RunBegun& run = a_run) const {
    return Journal::open(path_, database_, run, start);
  }

  /// With that many answers.
  void write_journal(int answers) const {
    Result<Journal> journal = open(Journal::Start::anew);
    ASSERT_TRUE(journal.ok()) << journal.status().message();
    for (int number = 0; number < answers; ++number) {
      ASSERT_TRUE(journal.value().append(answer(number)).ok());
    }
  }

  /// The answers that a resumed session finds.
  std::size_t resumed_answers() const {
    const Result<Journal> journal = open(Journal::Start::resumed);
    EXPECT_TRUE(journal.ok()) << journal.status().message();
    return journal.ok() ? journal.value().records().size() : 0;
  }

  std::string text() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }
  void write_text(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  test::TemporaryFolder folder_;
  /// Where files can have no more than so many bytes, which is not enough for a run's first line.
  void expect_no_beginning(rlim_t most_bytes, Journal::Start start) {
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{most_bytes, most_bytes};
      if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(1);
      _exit(open(start).ok() ? 2 : 0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }

  fs::path path_ = folder_.path() / "db" / "run.journal";
  fs::path database_ = folder_.path() / "db" / "device.yaml";
};

TEST_F(JournalTest, AResumedSessionFindsWhatWasAppended) {
  write_journal(3);
  Result<Journal> journal = open(Journal::Start::resumed, {"2027-01-01", "seed 1"});
  ASSERT_TRUE(journal.ok()) << journal.status().message();
  EXPECT_EQ(journal.value().run().utc, "2026-12-01") << "when it was begun";
  ASSERT_EQ(journal.value().records().size(), 3U);
  EXPECT_EQ(to_line(journal.value().records()[2]), to_line(answer(2)));
  EXPECT_TRUE(journal.value().notes().empty());
  ASSERT_TRUE(journal.value().append(answer(3)).ok());
  journal = Status(StatusCode::unavailable, "closed");
  EXPECT_EQ(resumed_answers(), 4U);
}

TEST_F(JournalTest, AResumedSessionMayBeTheFirst) {
  Result<Journal> journal = open(Journal::Start::resumed);
  ASSERT_TRUE(journal.ok()) << journal.status().message();
  EXPECT_TRUE(journal.value().empty());
  EXPECT_EQ(journal.value().run().utc, a_run.utc);
  journal.value().remove();
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(JournalTest, StartingAnewSetsAnUnfinishedRunAside) {
  write_journal(3);
  const std::string before = text();
  {
    const Result<Journal> journal = open(Journal::Start::anew);
    ASSERT_TRUE(journal.ok()) << journal.status().message();
    EXPECT_TRUE(journal.value().empty());
    ASSERT_EQ(journal.value().notes().size(), 1U);
    EXPECT_NE(journal.value().notes()[0].find("run.journal.old"), std::string::npos);
  }
  fs::rename(path_.string() + ".old", path_);
  EXPECT_EQ(text(), before);
  EXPECT_EQ(resumed_answers(), 3U);
}

TEST_F(JournalTest, AnotherRunsFirstDifferenceIsNamed) {
  const RunBegun three_lines{"2026-12-01", "budget 3s\nseed 1\ncase a"};
  fs::create_directories(path_.parent_path());
  write_text(to_line(three_lines));
  const struct {
    const char* identity;
    const char* said;
  } others[] = {{"budget 3s\nseed 2\ncase a", "(\"seed 1\", this one's is \"seed 2\")"},
                {"budget 3s\nseed 1\ncase b", "(\"case a\", this one's is \"case b\")"},
                {"budget 3s\nseed 1", "(\"case a\", this one's is \"\")"},
                {"budget 3s\nseed 1\ncase a\ncase b", "(\"\", this one's is \"case b\")"}};
  for (const auto& [identity, said] : others) {
    const Result<Journal> journal = open(Journal::Start::resumed, {"2026-12-01", identity});
    ASSERT_FALSE(journal.ok()) << identity;
    EXPECT_NE(journal.status().message().find(said), std::string::npos)
        << journal.status().message();
  }
}

TEST_F(JournalTest, EachRunThatIsSetAsideHasANameOfItsOwn) {
  std::vector<std::string> before;
  for (const int answers : {3, 2, 1}) {
    write_journal(answers);
    before.push_back(text());
  }
  const Result<Journal> journal = open(Journal::Start::anew);
  ASSERT_TRUE(journal.ok()) << journal.status().message();
  EXPECT_NE(journal.value().notes()[0].find("run.journal.3.old"), std::string::npos);
  for (const char* end : {".old", ".2.old", ".3.old"}) {
    fs::rename(path_.string() + end, path_);
    EXPECT_EQ(text(), before.front()) << end;
    before.erase(before.begin());
  }
}

// As a run is that was killed at its beginning.
TEST_F(JournalTest, ARunThatHasMeasuredNothingIsNotSetAside) {
  write_journal(3);
  write_journal(0);
  const Result<Journal> journal = open(Journal::Start::anew, {"2027-01-01", "seed 1"});
  ASSERT_TRUE(journal.ok()) << journal.status().message();
  EXPECT_TRUE(journal.value().notes().empty());
  EXPECT_EQ(text(), to_line(RunBegun{"2027-01-01", "seed 1"}));
  EXPECT_FALSE(fs::exists(path_.string() + ".2.old"));
}

TEST_F(JournalTest, ARunThatEndsWithNothingGivesWayToTheOneBefore) {
  write_journal(3);
  const std::string before = text();
  {
    Result<Journal> journal = open(Journal::Start::anew);
    ASSERT_TRUE(journal.ok()) << journal.status().message();
    EXPECT_TRUE(journal.value().give_way());
  }
  EXPECT_EQ(text(), before);
  EXPECT_FALSE(fs::exists(path_.string() + ".old"));
  EXPECT_EQ(resumed_answers(), 3U);

  fs::remove(path_);
  Result<Journal> first = open(Journal::Start::anew);
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_FALSE(first.value().give_way());
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(JournalTest, ATornLastRecordIsCutOffWhereverItWasTorn) {
  write_journal(2);
  const std::string whole = text();
  const std::string last = to_line(answer(2));
  for (std::size_t size = 1; size < last.size(); ++size) {
    write_text(whole + last.substr(0, size));
    {
      const Result<Journal> journal = open(Journal::Start::resumed);
      ASSERT_TRUE(journal.ok()) << journal.status().message();
      EXPECT_EQ(journal.value().records().size(), 2U);
      ASSERT_EQ(journal.value().notes().size(), 1U);
      EXPECT_NE(journal.value().notes()[0].find(path_.string() + ":4: cut off"), std::string::npos)
          << journal.value().notes()[0];
    }
    EXPECT_EQ(text(), whole) << "what is appended next begins a line";
  }
}

TEST_F(JournalTest, WhatAPowerFailureLeftUnwrittenIsCutOff) {
  write_journal(2);
  const std::string whole = text();
  write_text(whole + std::string(4096, '\0') + to_line(answer(3)));
  EXPECT_EQ(resumed_answers(), 2U);
  EXPECT_EQ(text(), whole);
}

TEST_F(JournalTest, AHeaderThatWasCutOffIsNoRun) {
  fs::create_directories(path_.parent_path());
  write_text(to_line(a_run).substr(0, 10));
  EXPECT_EQ(resumed_answers(), 0U);
  EXPECT_EQ(text(), to_line(a_run));
}

TEST_F(JournalTest, WhatIsNoJournalOfThisRunIsLeftAlone) {
  fs::create_directories(path_.parent_path());
  const struct {
    std::string content;
    const char* said;
  } others[] = {{"schema: 1\nentries: []\n", ":1: the beginning is damaged"},
                {to_line(answer(1)), ":1: is not how a journal begins"},
                {to_line(RunBegun{"2026-12-01", "seed 2"}) + to_line(answer(1)),
                 ":1: is the journal of another run (\"seed 2\", this one's is \"seed 1\")"}};
  for (const auto& [content, said] : others) {
    write_text(content);
    const Result<Journal> journal = open(Journal::Start::resumed);
    ASSERT_FALSE(journal.ok());
    EXPECT_NE(journal.status().message().find(path_.string()), std::string::npos);
    EXPECT_NE(journal.status().message().find(said), std::string::npos)
        << journal.status().message();
    EXPECT_NE(journal.status().message().find("; without --resume the run starts anew"),
              std::string::npos)
        << journal.status().message();
    EXPECT_EQ(text(), content);
  }
}

TEST_F(JournalTest, OneSessionAtATime) {
  const Result<Journal> first = open(Journal::Start::anew);
  ASSERT_TRUE(first.ok()) << first.status().message();
  for (const Journal::Start start : {Journal::Start::anew, Journal::Start::resumed}) {
    const Result<Journal> second = open(start);
    ASSERT_FALSE(second.ok());
    EXPECT_NE(second.status().message().find("under way in another process"), std::string::npos)
        << second.status().message();
  }
}

TEST_F(JournalTest, AFullDiskIsSaidOnceAndCostsTheRecordThatDidNotFit) {
  write_journal(2);
  const std::string whole = text();
  const pid_t child = fork();
  if (child == 0) {
    Result<Journal> journal = open(Journal::Start::resumed);
    if (!journal.ok()) _exit(1);
    // The closest to a full disk that a test can have: half of the next record fits.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlim_t most = whole.size() + to_line(answer(2)).size() / 2;
    const rlimit limit{most, most};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
    const Status full = journal.value().append(answer(2));
    const bool clear = full.code() == StatusCode::unavailable &&
                       full.message() == "cannot write " + path_.string() + ": File too large";
    _exit(clear ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text(), whole);
  EXPECT_EQ(resumed_answers(), 2U);
}

TEST_F(JournalTest, WhereNoRunCanBeginTheUnfinishedOneStays) {
  write_journal(2);
  const std::string before = text();
  expect_no_beginning(1, Journal::Start::anew);
  EXPECT_EQ(text(), before);
  EXPECT_EQ(resumed_answers(), 2U);
}

TEST_F(JournalTest, WhereNoRunCanBeginNothingIsLeft) {
  fs::create_directories(path_.parent_path());
  for (const char* there : {"", "a header that was cut o"}) {
    if (*there != 0) write_text(there);
    expect_no_beginning(0, Journal::Start::resumed);
    EXPECT_FALSE(fs::exists(path_));
  }
}

TEST_F(JournalTest, LiesBesideTheDatabaseUnderItsRunsName) {
  EXPECT_EQ(journal_path("/db", "123456789"), "/db/autotune.cbf43926.journal");
  EXPECT_EQ(journal_path("/db/my.yaml", "123456789"), "/db/my.yaml.cbf43926.journal");
  EXPECT_EQ(journal_path("/db/my.yml", "123456789"), "/db/my.yml.cbf43926.journal");
  EXPECT_EQ(journal_path("my.yaml", "123456789"), "my.yaml.cbf43926.journal");
}

/// Two users with a group for a database, as whom root goes through a run.
class SharedJournal : public JournalTest {
 protected:
  static constexpr uid_t one = 4321;
  static constexpr uid_t another = 5432;
  static constexpr gid_t group = 1234;

  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can be two users";
    fs::create_directories(path_.parent_path());
    for (const fs::path& folder : {folder_.path(), path_.parent_path()}) {
      fs::permissions(folder, fs::perms::all);
    }
    std::ofstream(database_) << "schema: 1\n";
    ASSERT_EQ(::chown(database_.c_str(), one, group), 0);
    ASSERT_EQ(::chmod(database_.c_str(), 0664), 0);
  }

  template <class Action>
  void as(uid_t user, const Action& action) const {
    const pid_t child = fork();
    if (child == 0) {
      ::umask(0022);
      const bool is_user = setgroups(1, &group) == 0 && setgid(user) == 0 && setuid(user) == 0;
      if (is_user) action();
      _exit(is_user && !HasFailure() ? 0 : 1);
    }
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "as user " << user;
  }
};

TEST_F(SharedJournal, WhoeverMayWriteTheDatabaseGoesOnWithTheRun) {
  as(one, [&] { write_journal(3); });
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_gid, group);
  EXPECT_EQ(info.st_mode & 0777U, 0664U);
  as(another, [&] {
    Result<Journal> journal = open(Journal::Start::resumed);
    ASSERT_TRUE(journal.ok()) << journal.status().message();
    EXPECT_EQ(journal.value().records().size(), 3U);
    EXPECT_TRUE(journal.value().append(answer(3)).ok());
  });
  as(one, [&] { EXPECT_EQ(resumed_answers(), 4U); });
  as(another, [&] {
    const Result<Journal> anew = open(Journal::Start::anew);
    ASSERT_TRUE(anew.ok()) << anew.status().message();
    EXPECT_EQ(anew.value().notes().size(), 1U);
  });
}

TEST_F(SharedJournal, OneThatIsNotSharedSaysWhoseItIsAndWhatHelps) {
  as(one, [&] { write_journal(3); });
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  as(another, [&] {
    const std::string files = database_.string() + " " + path_.string();
    for (const Journal::Start start : {Journal::Start::anew, Journal::Start::resumed}) {
      EXPECT_EQ(
          open(start).status().message(),
          "cannot open " + path_.string() +
              ": Permission denied; it belongs to user 4321, who can share it: \"chgrp GROUP " +
              files + "; chmod g+w " + files + "\"");
    }
  });
  as(one, [&] { EXPECT_EQ(resumed_answers(), 3U); });
}

TEST_F(JournalTest, AFolderThatCannotBeMadeIsNamed) {
  std::ofstream(folder_.path() / "db") << "a file";
  const Result<Journal> journal = open(Journal::Start::anew);
  ASSERT_FALSE(journal.ok());
  EXPECT_EQ(journal.status().message(),
            "cannot create the folder " + path_.parent_path().string() + ": Not a directory");
}

}  // namespace
}  // namespace fastnorm::tuner
