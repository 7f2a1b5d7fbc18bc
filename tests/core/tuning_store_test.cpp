// SPDX-License-Identifier: Apache-2.0
#include "core/tuning_store.hpp"

#include "core/measured_otherwise.hpp"
#include "core/tuning_samples.hpp"
#include "core/tuning_yaml.hpp"
#include "fake_backend.hpp"
#include "support/scoped_environment.hpp"
#include "support/temporary_folder.hpp"

#include <fastnorm/version.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace fastnorm {
namespace {

namespace fs = std::filesystem;
using test::sample_entry;
using test::sample_file;
using test::sample_gpu;
using test::sample_host;
using test::ScopedEnvironment;
using test::TemporaryFolder;

TuningFile update_of(std::vector<TuningEntry> entries, const DeviceInfo& device = sample_gpu()) {
  TuningFile file = sample_file(device);
  file.entries = std::move(entries);
  return file;
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(stream)), {});
}

ParsedTuningFile parse_file(const fs::path& path) {
  Result<ParsedTuningFile> parsed = parse_tuning_yaml(read_text(path), path.string());
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  return parsed.ok() ? std::move(parsed).value() : ParsedTuningFile();
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

/// What `action` writes to the log.
template <class Action>
std::string logged(Action action) {
  testing::internal::CaptureStderr();
  action();
  return testing::internal::GetCapturedStderr();
}

std::ptrdiff_t warnings_in(const std::string& text) {
  std::ptrdiff_t count = 0;
  for (std::size_t at = 0; (at = text.find("fastnorm: warning: ", at)) != std::string::npos; ++at)
    ++count;
  return count;
}

void expect_contains(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << "\"" << text << "\" lacks \"" << words << "\"";
}

/// Runs `action` in a child process and gives its exit status, or -1 if it did not exit by itself.
template <class Action>
int exit_status_of(Action action) {
  const pid_t child = fork();
  if (child == 0) _exit(action());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// ---- Where files are.

TEST(TuningPaths, FileNamesAreTheDevices) {
  EXPECT_EQ(tuning_file_for("/db", sample_gpu()), "/db/nvidia-h200.yaml");
  DeviceInfo device = sample_gpu();
  device.name = "  NVIDIA  A100-SXM4/80GB (MIG) ";
  EXPECT_EQ(tuning_file_for("/db", device), "/db/nvidia-a100-sxm4-80gb-mig.yaml");
  device.name = "../../etc/\xC3\xA9";
  EXPECT_EQ(tuning_file_for("/db", device), "/db/etc.yaml");
  device.name = "";
  EXPECT_EQ(tuning_file_for("/db", device), "/db/device.yaml");
  device.name = std::string(5000, 'x');
  EXPECT_LT(tuning_file_for("/db", device).filename().string().size(), 200U);
}

TEST(TuningPaths, FileNamesOfHostsSayThreadsAndSpace) {
  DeviceInfo device = sample_host();
  device.name = "Intel(R) Xeon(R) Platinum 8480+";
  EXPECT_EQ(tuning_file_for("/db", device), "/db/intel-r-xeon-r-platinum-8480-serial-2t.yaml");
  device.host_space = "OpenMP";
  device.processors = 64;
  EXPECT_EQ(tuning_file_for("/db", device), "/db/intel-r-xeon-r-platinum-8480-openmp-64t.yaml");
}

TEST(TuningPaths, ResultsGoWhereALookupFindsThemFirst) {
  const TemporaryFolder folder;
  const fs::path mine = folder.path() / "a-mine.yml";
  ASSERT_TRUE(merge_into_file(folder.path() / "a-host.yaml", sample_file(sample_host())).ok());
  ASSERT_TRUE(merge_into_file(mine, sample_file(sample_gpu())).ok());
  ASSERT_TRUE(merge_into_file(folder.path() / "b.yaml", sample_file(sample_gpu())).ok());
  EXPECT_EQ(tuning_file_for(folder.path(), sample_gpu()), mine);
  DeviceInfo other = sample_host();
  other.processors += 1;
  EXPECT_EQ(tuning_file_for(folder.path(), other).parent_path(), folder.path());
  EXPECT_FALSE(fs::exists(tuning_file_for(folder.path(), other)));
}

TEST(TuningPaths, AYamlPathIsTheFileItself) {
  EXPECT_EQ(tuning_file_for("my.yaml", sample_gpu()), "my.yaml");
  EXPECT_EQ(tuning_file_for("my.yml", sample_gpu()), "my.yml");
  EXPECT_EQ(tuning_file_for("my.txt", sample_gpu()), "my.txt/nvidia-h200.yaml");
  EXPECT_EQ(tuning_file_for("", sample_gpu()), "") << "no user database";
}

TEST(TuningPaths, UserPathFollowsTheEnvironment) {
  const ScopedEnvironment home("HOME", "/home/me");
  const ScopedEnvironment xdg("XDG_DATA_HOME", "/data");
  const ScopedEnvironment db("FASTNORM_TUNING_DB", "/tuned/mine.yaml");
  EXPECT_EQ(user_tuning_path(), "/tuned/mine.yaml");
  const ScopedEnvironment none("FASTNORM_TUNING_DB", "none");
  EXPECT_EQ(user_tuning_path(), "");
  const ScopedEnvironment no_db("FASTNORM_TUNING_DB", "");
  EXPECT_EQ(user_tuning_path(), "/data/fastnorm/tuning_db");
  const ScopedEnvironment relative_xdg("XDG_DATA_HOME", "data");
  EXPECT_EQ(user_tuning_path(), "/home/me/.local/share/fastnorm/tuning_db");
  unsetenv("XDG_DATA_HOME");
  EXPECT_EQ(user_tuning_path(), "/home/me/.local/share/fastnorm/tuning_db");
  unsetenv("HOME");
  unsetenv("FASTNORM_TUNING_DB");
  EXPECT_EQ(user_tuning_path(), "");
}

// ---- Reading.

TEST(TuningRead, NothingThereIsNothingWrong) {
  const TemporaryFolder folder;
  const std::string log = logged([&] {
    EXPECT_TRUE(read_tuning_path("").empty());
    EXPECT_TRUE(read_tuning_path(folder.path()).empty());
    EXPECT_TRUE(read_tuning_path(folder.path() / "missing").empty());
    EXPECT_TRUE(read_tuning_path(folder.path() / "missing.yaml").empty());
  });
  EXPECT_EQ(log, "");
}

TEST(TuningRead, AFolderGivesItsFilesInOrderOfTheirNames) {
  const TemporaryFolder folder;
  write_text(folder.path() / "b.yaml", to_yaml(update_of({sample_entry(2)})));
  write_text(folder.path() / "a.yaml", to_yaml(update_of({sample_entry(1)})));
  write_text(folder.path() / "c.yml", to_yaml(update_of({sample_entry(3)})));
  write_text(folder.path() / "d.txt", "not ours");
  write_text(folder.path() / "a.yaml.bad", "not ours");
  fs::create_symlink("a.yaml", folder.path() / "z.yaml");
  const auto files = read_tuning_path(folder.path());
  ASSERT_EQ(files.size(), 4U);
  EXPECT_EQ(files[0].source, (folder.path() / "a.yaml").string());
  EXPECT_EQ(files[0].entries[0].shape.n, 1);
  EXPECT_EQ(files[1].entries[0].shape.n, 2);
  EXPECT_EQ(files[2].entries[0].shape.n, 3);
  EXPECT_EQ(files[3].entries[0].shape.n, 1);
  EXPECT_EQ(read_tuning_path(folder.path() / "b.yaml").size(), 1U);
  EXPECT_EQ(read_tuning_path(folder.path() / "c.yml").size(), 1U);
}

TEST(TuningRead, WhatIsNoFileCostsAWarningEachAndNeverBlocks) {
  const TemporaryFolder folder;
  write_text(folder.path() / "good.yaml", to_yaml(update_of({sample_entry(1)})));
  fs::create_directory(folder.path() / "folder.yaml");
  ASSERT_EQ(mkfifo((folder.path() / "pipe.yaml").c_str(), 0600), 0);
  fs::create_symlink(folder.path() / "loop.yaml", folder.path() / "loop.yaml");
  fs::create_symlink("/dev/zero", folder.path() / "zero.yaml");
  write_text(folder.path() / "huge.yaml", "");
  fs::resize_file(folder.path() / "huge.yaml", std::uintmax_t{20} << 20);  // sparse
  const std::string log = logged([&] { EXPECT_EQ(read_tuning_path(folder.path()).size(), 1U); });
  EXPECT_EQ(warnings_in(log), 5) << log;
  expect_contains(log, "folder.yaml: not a regular file");
  expect_contains(log, "pipe.yaml: not a regular file");
  expect_contains(log, "zero.yaml: not a regular file");
  expect_contains(log, "huge.yaml: larger than 16 MiB");
  expect_contains(log, "loop.yaml: ");
}

TEST(TuningRead, ABadFileCostsOneWarningHoweverOftenItIsRead) {
  const TemporaryFolder folder;
  write_text(folder.path() / "empty.yaml", "");
  write_text(folder.path() / "binary.yaml", std::string("\0\1\2", 3));
  const std::string text = to_yaml(update_of({sample_entry(1), sample_entry(2), sample_entry(3)}));
  write_text(folder.path() / "truncated.yaml", text.substr(0, text.size() - 10));
  std::string two_bad = text;
  two_bad.replace(two_bad.find("{n: 1"), 5, "{n: x");
  two_bad.replace(two_bad.find("{n: 3"), 5, "{n: y");
  write_text(folder.path() / "two_bad.yaml", two_bad);
  const std::string log = logged([&] {
    for (int round = 0; round < 3; ++round) {
      const auto files = read_tuning_path(folder.path());
      ASSERT_EQ(files.size(), 1U);
      EXPECT_EQ(files[0].entries.size(), 1U);
    }
  });
  EXPECT_EQ(warnings_in(log), 4) << log;
  expect_contains(
      log, "two_bad.yaml:7: entry 1: shape: n is \"x\"; it must be an integer from 1 (and 1 more");
}

TEST(TuningRead, UnreadableIsAWarning) {
  const TemporaryFolder folder;
  write_text(folder.path() / "secret.yaml", to_yaml(update_of({sample_entry(1)})));
  fs::create_directory(folder.path() / "secret");
  fs::permissions(folder.path() / "secret.yaml", fs::perms::none);
  fs::permissions(folder.path() / "secret", fs::perms::none);
  fs::permissions(folder.path(), fs::perms::all);
  const int status = exit_status_of([&] {
    // Root reads anything.
    if (geteuid() == 0 && setuid(65534) != 0) return 1;
    std::string log;
    log = logged([&] { EXPECT_TRUE(read_tuning_path(folder.path()).empty()); });
    expect_contains(log, "secret.yaml: Permission denied");
    log = logged([&] { EXPECT_TRUE(read_tuning_path(folder.path() / "secret").empty()); });
    expect_contains(log, "secret: Permission denied");
    return testing::Test::HasFailure() ? 2 : 0;
  });
  EXPECT_EQ(status, 0);
  fs::permissions(folder.path() / "secret", fs::perms::owner_all);
}

TEST(TuningRead, AFileInPlaceOfTheFolderIsAWarning) {
  const TemporaryFolder folder;
  write_text(folder.path() / "file", "");
  const std::string log =
      logged([&] { EXPECT_TRUE(read_tuning_path(folder.path() / "file").empty()); });
  EXPECT_EQ(warnings_in(log), 1) << log;
}

TEST(CurrentTuningDb, UserFilesComeBeforeShippedOnes) {
  const TemporaryFolder folder;
  const ScopedEnvironment none("FASTNORM_TUNING_DB", "none");
  forget_tuning_db();
  const std::size_t shipped = current_tuning_db()->files().size();
  EXPECT_EQ(shipped, shipped_tuning_files().size()) << "each shipped file is valid";

  const ScopedEnvironment db("FASTNORM_TUNING_DB", folder.path());
  ASSERT_TRUE(
      merge_into_file(tuning_file_for(folder.path(), sample_gpu()), update_of({sample_entry(1)}))
          .ok());
  const auto before = current_tuning_db();
  EXPECT_EQ(before->files().size(), shipped) << "read at the first call only";
  EXPECT_EQ(before, current_tuning_db());
  forget_tuning_db();
  const auto after = current_tuning_db();
  ASSERT_EQ(after->files().size(), shipped + 1);
  EXPECT_EQ(after->files()[0].source, (folder.path() / "nvidia-h200.yaml").string());
  EXPECT_EQ(before->files().size(), shipped) << "what a caller holds does not change";
  forget_tuning_db();
}

TEST(CurrentTuningDb, ShippedFilesAreWrittenAsTheyAre) {
  for (const ShippedTuningFile& shipped : shipped_tuning_files()) {
    const Result<ParsedTuningFile> parsed = parse_tuning_yaml(shipped.text, shipped.name);
    ASSERT_TRUE(parsed.ok()) << parsed.status().message();
    EXPECT_EQ(parsed.value().problems.size(), 0U) << shipped.name;
    EXPECT_EQ(to_yaml(parsed.value().file), shipped.text) << shipped.name;
  }
}

TEST(CurrentTuningDb, ManyThreadsMayAskFirst) {
  const TemporaryFolder folder;
  write_text(folder.path() / "bad.yaml", "");
  const ScopedEnvironment db("FASTNORM_TUNING_DB", folder.path());
  forget_tuning_db();
  std::vector<std::shared_ptr<const TuningDb>> seen(8);
  const std::string log = logged([&] {
    std::vector<std::thread> threads;
    for (auto& mine : seen) threads.emplace_back([&mine] { mine = current_tuning_db(); });
    for (std::thread& thread : threads) thread.join();
  });
  for (const auto& mine : seen) EXPECT_EQ(mine, seen[0]);
  EXPECT_EQ(warnings_in(log), 1) << log;
  forget_tuning_db();
}

// ---- With what entries were measured.

TEST(MeasuredOtherwise, SaysWhatIsKnownOfBothAndDiffers) {
  const Provenance measured{"0.1.0", "12.8", "570.1", "2026-11-29"};
  EXPECT_EQ(software_text(measured), "fastnorm 0.1.0, CUDA 12.8, driver 570.1");
  EXPECT_EQ(software_difference(measured, {"0.2.0", "13.0", "", "2027-01-01"}),
            "fastnorm 0.1.0 instead of 0.2.0, CUDA 12.8 instead of 13.0");
  EXPECT_EQ(software_difference(measured, {"0.1.0", "12.8", "570.1", "2027-01-01"}), "");
  EXPECT_EQ(software_difference({}, measured), "");
}

TEST(MeasuredOtherwise, QuotesAShortPieceOfWhatAFileHolds) {
  const Provenance measured{std::string(100'000, 'x'), "12\x1b[2J", "", ""};
  const std::string said = "fastnorm " + std::string(60, 'x') + "...";
  EXPECT_EQ(software_text(measured), said + R"(, CUDA 12\x1b[2J)");
  EXPECT_EQ(software_difference(measured, {"0.1.0", "13.0", "", ""}),
            said + R"( instead of 0.1.0, CUDA 12\x1b[2J instead of 13.0)");
}

TEST(MeasuredOtherwise, CountsABackEndsEntriesByWhatDiffers) {
  TuningFile file = update_of(
      {sample_entry(1), sample_entry(2), sample_entry(3), sample_entry(4), sample_entry(5)});
  const Provenance here = file.entries[0].provenance;
  EXPECT_EQ(measured_otherwise(file, "cuda", here), "");
  file.entries[1].provenance.fastnorm = "0.0.8";
  EXPECT_EQ(measured_otherwise(file, "cuda", here),
            "1 of 5 entries of cuda was measured with fastnorm 0.0.8 instead of 0.1.0");
  file.entries[2].provenance.fastnorm = file.entries[3].provenance.fastnorm = "0.0.9";
  file.entries[4].key.backend = "kokkos-cuda";
  EXPECT_EQ(measured_otherwise(file, "cuda", here),
            "2 of 4 entries of cuda were measured with fastnorm 0.0.9 instead of 0.1.0; 1 measured "
            "with fastnorm 0.0.8 instead of 0.1.0");
  EXPECT_EQ(measured_otherwise(file, "kokkos-cuda", here), "");
}

TEST(MeasuredOtherwise, TheUsersFilesForTheDeviceAtHandAreWarnedAboutOnce) {
  const test::FakeBackend backend("cuda", {}, sample_gpu());
  const Candidate candidate{&backend, &backend.device_info()};
  TuningEntry old = sample_entry(1);
  old.provenance.fastnorm = "0.0.9";
  TuningFile mine = update_of({old});
  mine.source = "mine.yaml";
  TuningFile shipped = mine;
  shipped.source = "shipped some.yaml";
  shipped.owner = TuningFile::Owner::library;
  TuningFile foreign = update_of({old}, sample_host());
  foreign.source = "foreign.yaml";
  DeviceInfo other = sample_gpu();
  other.processors = 114;
  TuningFile same_arch = update_of({old}, other);
  same_arch.source = "same_arch.yaml";
  const TuningDb db({mine, shipped, foreign, same_arch});
  const std::string log = logged([&] {
    for (int call = 0; call < 3; ++call) report_measured_otherwise(db, candidate);
  });
  EXPECT_EQ(log,
            "fastnorm: warning: mine.yaml: 1 of 1 entry of cuda was measured with fastnorm "
            "0.0.9 instead of " +
                std::string(version()) +
                "; \"autotune recheck --backend cuda --db mine.yaml\" measures again\n");
}

// ---- Writing.

TEST(TuningMerge, CreatesFolderAndFile) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a" / "b" / "db.yaml";
  const Status status = merge_into_file(path, update_of({sample_entry(2), sample_entry(1)}));
  ASSERT_TRUE(status.ok()) << status.message();
  const ParsedTuningFile parsed = parse_file(path);
  EXPECT_TRUE(parsed.problems.empty());
  EXPECT_EQ(parsed.file.entries.size(), 2U);
  EXPECT_EQ(names_in(path.parent_path()), (std::set<std::string>{"db.yaml", "db.yaml.lock"}));
}

TEST(TuningMerge, ReplacesEqualEntriesAndKeepsTheRest) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "db.yaml";
  TuningEntry atomic = sample_entry(2);
  atomic.key.deterministic = false;
  ASSERT_TRUE(merge_into_file(path, update_of({sample_entry(1), sample_entry(2), atomic})).ok());
  EXPECT_EQ(parse_file(path).file.entries.size(), 3U);
  TuningEntry faster = sample_entry(2);
  faster.stats.median_us = 1;
  faster.strategy = "block_row";
  TuningFile update = update_of({faster, sample_entry(3)});
  for (TuningEntry& entry : update.entries) entry.provenance.utc = "2027-01-01";
  ASSERT_TRUE(merge_into_file(path, update).ok());

  const ParsedTuningFile parsed = parse_file(path);
  ASSERT_EQ(parsed.file.entries.size(), 3U) << "the atomic one is no choice any more";
  EXPECT_TRUE(test::same_entry(parsed.file.entries[0], sample_entry(1))) << "not measured anew";
  EXPECT_TRUE(test::same_entry(parsed.file.entries[1], update.entries[0]));
  EXPECT_EQ(parsed.file.entries[2].shape.n, 3);

  const std::string text = read_text(path);
  ASSERT_TRUE(merge_into_file(path, update).ok());
  EXPECT_EQ(read_text(path), text) << "the same again changes nothing";
}

TEST(TuningMerge, KeepsTheFilesPermissions) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "db.yaml";
  ASSERT_TRUE(merge_into_file(path, update_of({sample_entry(1)})).ok());
  for (const fs::perms perms : {fs::perms(0660), fs::perms(0600), fs::perms(0666)}) {
    fs::permissions(path, perms);
    ASSERT_TRUE(merge_into_file(path, update_of({sample_entry(2)})).ok());
    EXPECT_EQ(fs::status(path).permissions(), perms);
  }
}

TEST(TuningMerge, RefusesEqualEntriesInOneUpdate) {
  const TemporaryFolder folder;
  TuningEntry later = sample_entry(1);
  later.stats.samples = 99;
  const Status status =
      merge_into_file(folder.path() / "db.yaml", update_of({sample_entry(1), later}));
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  expect_contains(status.message(), "earlier entry");
}

TEST(TuningMerge, RefusesWhatItWouldNotReadBack) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "db.yaml";
  const auto refusal = [&](const TuningFile& update) {
    const Status status = merge_into_file(path, update);
    EXPECT_EQ(status.code(), StatusCode::invalid_argument) << status.message();
    EXPECT_FALSE(fs::exists(path));
    return status.message();
  };
  TuningEntry entry = sample_entry(1);
  entry.stats.median_us = std::nan("");
  expect_contains(refusal(update_of({entry})), "median_us is \"nan\"");
  expect_contains(refusal(update_of({sample_entry(-1)})), "n is \"-1\"");
  entry = sample_entry(1);
  entry.config[0].value = "1,2";
  expect_contains(refusal(update_of({entry})), "threads is \"1,2\"");
  TuningFile nameless = update_of({});
  nameless.device_name = "";
  expect_contains(refusal(nameless), "name");
  nameless.device_name = "\xFF";
  expect_contains(refusal(nameless), "not UTF-8");
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>());
}

TEST(TuningMerge, RefusesAnotherDevicesFile) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "db.yaml";
  ASSERT_TRUE(merge_into_file(path, update_of({sample_entry(1)})).ok());
  const std::string before = read_text(path);
  const Status status = merge_into_file(path, update_of({sample_entry(2)}, sample_host()));
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  expect_contains(status.message(), "holds results of another device, NVIDIA H200");
  EXPECT_EQ(read_text(path), before);
}

TEST(TuningMerge, KeepsAFileThatDoesNotParse) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "db.yaml";
  for (const char* content : {"first: [", "second: ["}) {
    write_text(path, content);
    const std::string log =
        logged([&] { EXPECT_TRUE(merge_into_file(path, update_of({sample_entry(1)})).ok()); });
    EXPECT_EQ(warnings_in(log), 1) << log;
    expect_contains(log, "db.yaml:1: not valid YAML");
    expect_contains(log, ".bad");
    EXPECT_EQ(parse_file(path).file.entries.size(), 1U);
  }
  EXPECT_EQ(read_text(folder.path() / "db.yaml.bad"), "first: [");
  EXPECT_EQ(read_text(folder.path() / "db.yaml.2.bad"), "second: [");
}

TEST(TuningMerge, KeepsAFileThatWouldLoseEntries) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "db.yaml";
  std::string text = to_yaml(update_of({sample_entry(1), sample_entry(2)}));
  text.replace(text.find("op: group_norm"), 14, "op: later_norm");
  write_text(path, text);
  const std::string log =
      logged([&] { EXPECT_TRUE(merge_into_file(path, update_of({sample_entry(3)})).ok()); });
  EXPECT_EQ(warnings_in(log), 1) << log;
  EXPECT_EQ(parse_file(path).file.entries.size(), 2U);
  EXPECT_EQ(read_text(folder.path() / "db.yaml.bad"), text);
  EXPECT_EQ(logged([&] { EXPECT_TRUE(merge_into_file(path, update_of({sample_entry(3)})).ok()); }),
            "");
}

TEST(TuningMerge, NamesPathAndReasonOfAFailure) {
  const TemporaryFolder folder;
  const TuningFile update = update_of({sample_entry(1)});
  Status status = merge_into_file("", update);
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  expect_contains(status.message(), "HOME");

  write_text(folder.path() / "file", "");
  const fs::path file = folder.path() / "file";
  status = merge_into_file(file / "db.yaml", update);
  EXPECT_EQ(status.code(), StatusCode::unavailable);
  expect_contains(status.message(),
                  "cannot create the folder " + file.string() + ": Not a directory");

  fs::create_directory(folder.path() / "folder.yaml");
  status = merge_into_file(folder.path() / "folder.yaml", update);
  expect_contains(status.message(), "folder.yaml: not a regular file");

  fs::create_directory(folder.path() / "sealed");
  fs::permissions(folder.path() / "sealed", fs::perms::owner_read | fs::perms::owner_exec);
  fs::permissions(folder.path(), fs::perms::all);
  EXPECT_EQ(exit_status_of([&] {
              if (geteuid() == 0 && setuid(65534) != 0) return 1;
              const Status refused = merge_into_file(folder.path() / "sealed" / "db.yaml", update);
              expect_contains(refused.message(), "db.yaml");
              expect_contains(refused.message(), "Permission denied");
              return testing::Test::HasFailure() ? 2 : 0;
            }),
            0);
}

TEST(TuningMerge, AFullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "db.yaml";
  ASSERT_TRUE(merge_into_file(path, update_of({sample_entry(1)})).ok());
  const std::string before = read_text(path);
  EXPECT_EQ(exit_status_of([&] {
              // The closest to a full disk that a test can have.
              std::signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{100, 100};
              if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
              for (const Status& status :
                   {merge_into_file(path, update_of({sample_entry(2)})), check_editable(path)}) {
                EXPECT_EQ(status.code(), StatusCode::unavailable);
                expect_contains(status.message(), "File too large");
              }
              return testing::Test::HasFailure() ? 2 : 0;
            }),
            0);
  EXPECT_EQ(read_text(path), before);
  EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"db.yaml", "db.yaml.lock"}));
}

TEST(TuningMerge, AFileThatMayNotBeWrittenIsLeftAlone) {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::all);
  const fs::path path = folder.path() / "db.yaml";
  ASSERT_TRUE(merge_into_file(path, update_of({sample_entry(1)})).ok());
  fs::permissions(folder.path() / "db.yaml.lock", fs::perms::all);
  fs::permissions(path, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  const std::string before = read_text(path);
  EXPECT_EQ(exit_status_of([&] {
              if (geteuid() == 0 && setuid(65534) != 0) return 1;
              const Status refused = merge_into_file(path, update_of({sample_entry(2)}));
              expect_contains(refused.message(), "cannot write " + path.string());
              expect_contains(refused.message(), "Permission denied");
              EXPECT_EQ(check_editable(path).message(), refused.message());
              return testing::Test::HasFailure() ? 2 : 0;
            }),
            0);
  EXPECT_EQ(read_text(path), before);
}

TEST(TuningStore, CheckingWhetherAFileCanBeEditedTouchesNothing) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "db.yaml";
  ASSERT_TRUE(merge_into_file(path, update_of({sample_entry(1)})).ok());
  const fs::path same = folder.path() / "same";
  fs::create_hard_link(path, same);
  EXPECT_TRUE(check_editable(path).ok());
  EXPECT_TRUE(fs::equivalent(path, same)) << "it is the file that it was";
  EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"db.yaml", "db.yaml.lock", "same"}));
}

TEST(TuningMerge, ALinkStaysALink) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "real");
  const fs::path real = folder.path() / "real" / "db.yaml";
  ASSERT_TRUE(merge_into_file(real, update_of({sample_entry(1)})).ok());
  const fs::path link = folder.path() / "link.yaml";
  fs::create_symlink(real, link);
  ASSERT_TRUE(merge_into_file(link, update_of({sample_entry(2)})).ok());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(parse_file(real).file.entries.size(), 2U);
}

TEST(TuningMerge, ALinkToAFileThatIsNotThereMakesThatFile) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "new" / "db.yaml";
  const fs::path first = folder.path() / "first.yaml";
  const fs::path second = folder.path() / "second.yaml";
  fs::create_symlink("new/db.yaml", first);
  fs::create_symlink(first, second);
  ASSERT_TRUE(merge_into_file(second, update_of({sample_entry(1)})).ok());
  EXPECT_TRUE(fs::is_symlink(first));
  EXPECT_TRUE(fs::is_symlink(second));
  EXPECT_FALSE(fs::is_symlink(file));
  EXPECT_EQ(parse_file(file).file.entries.size(), 1U);
}

TEST(TuningMerge, ALinkToAFolderThatIsNotThereMakesThatFolder) {
  const TemporaryFolder folder;
  const fs::path link = folder.path() / "link";
  fs::create_symlink("real", link);
  ASSERT_TRUE(merge_into_file(link / "db.yaml", update_of({sample_entry(1)})).ok());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(parse_file(folder.path() / "real" / "db.yaml").file.entries.size(), 1U);
}

TEST(TuningMerge, ALinkInTheMiddleOfAPathLeadsToWhatIsMade) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "here");
  const fs::path link = folder.path() / "here" / "link";
  fs::create_symlink("../there/real", link);
  ASSERT_TRUE(merge_into_file(link / "sub" / "db.yaml", update_of({sample_entry(1)})).ok());
  ASSERT_TRUE(merge_into_file(link / ".." / "beside.yaml", update_of({sample_entry(2)})).ok());
  EXPECT_TRUE(fs::is_symlink(link));
  const fs::path there = folder.path() / "there";
  EXPECT_EQ(parse_file(there / "real" / "sub" / "db.yaml").file.entries.size(), 1U);
  EXPECT_EQ(parse_file(there / "beside.yaml").file.entries.size(), 1U);
}

TEST(TuningMerge, LinksInACircleAreSaid) {
  const TemporaryFolder folder;
  const fs::path loop = folder.path() / "loop.yaml";
  fs::create_symlink(loop, loop);
  const Status refused = merge_into_file(loop, update_of({sample_entry(1)}));
  EXPECT_EQ(refused.code(), StatusCode::unavailable);
  expect_contains(refused.message(), loop.string());
  expect_contains(refused.message(), "Too many levels of symbolic links");
  EXPECT_TRUE(fs::is_symlink(loop));
}

TEST(TuningMerge, RelativePaths) {
  const TemporaryFolder folder;
  EXPECT_EQ(exit_status_of([&] {
              if (chdir(folder.path().c_str()) != 0) return 1;
              return merge_into_file("db.yaml", update_of({sample_entry(1)})).ok() ? 0 : 2;
            }),
            0);
  EXPECT_EQ(parse_file(folder.path() / "db.yaml").file.entries.size(), 1U);
}

/// Merges one entry after another into the file, and says the number of each that is in it.
[[noreturn]] void merge_and_report(const fs::path& path, std::int64_t first, int count,
                                   int report) {
  for (std::int64_t n = first; n < first + count; ++n) {
    if (!merge_into_file(path, update_of({sample_entry(n), sample_entry(1000)})).ok()) _exit(1);
    if (write(report, &n, sizeof n) != sizeof n) _exit(2);
  }
  _exit(0);
}

// One of them is killed while it saves; whoever reads meanwhile sees whole files.
TEST(F17ConcurrentWriters, ProcessesGiveTheUnionThoughOneIsKilled) {
  constexpr int processes = 4;
  constexpr int rounds = 50;
  constexpr int reports_before_the_kill = 5;
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "db.yaml";
  ASSERT_TRUE(merge_into_file(path, update_of({sample_entry(1000)})).ok());
  std::vector<pid_t> children;
  std::vector<int> reports;
  for (int process = 0; process < processes; ++process) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      // The first one would go on for ever.
      const int count = process == 0 ? 1000000 : rounds;
      merge_and_report(path, process == 0 ? 10000 : 1 + process * rounds, count, ends[1]);
    }
    close(ends[1]);
    children.push_back(child);
    reports.push_back(ends[0]);
  }

  // Between two reports the first one saves, and does next to nothing else.
  std::set<std::int64_t> saved;
  std::int64_t n = 0;
  for (int i = 0; i < reports_before_the_kill; ++i) {
    ASSERT_EQ(read(reports[0], &n, sizeof n), static_cast<ssize_t>(sizeof n));
    saved.insert(n);
  }
  kill(children[0], SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(children[0], &status, 0), children[0]);
  EXPECT_TRUE(WIFSIGNALED(status));
  const std::int64_t cut_off = n + 1;
  while (read(reports[0], &n, sizeof n) == static_cast<ssize_t>(sizeof n)) saved.insert(n);

  std::size_t running = processes - 1;
  std::size_t readings = 0;
  while (running > 0) {
    const ParsedTuningFile parsed = parse_file(path);
    ASSERT_TRUE(parsed.problems.empty()) << parsed.problems.front();
    ++readings;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended <= 0) continue;
    EXPECT_EQ(status, 0);
    --running;
  }
  EXPECT_GT(readings, 10U) << "too few to have met a file in the making";
  for (std::size_t process = 1; process < processes; ++process) {
    while (read(reports[process], &n, sizeof n) == static_cast<ssize_t>(sizeof n)) saved.insert(n);
  }
  for (const int report : reports) close(report);

  EXPECT_GE(saved.size(), static_cast<std::size_t>((processes - 1) * rounds));
  const ParsedTuningFile parsed = parse_file(path);
  EXPECT_TRUE(parsed.problems.empty());
  std::set<std::int64_t> found;
  for (const TuningEntry& entry : parsed.file.entries) found.insert(entry.shape.n);
  EXPECT_EQ(found.erase(1000), 1U);
  // Whether the one that was being saved is there is a matter of the moment.
  for (const std::int64_t one : found) {
    EXPECT_TRUE(saved.count(one) == 1 || one >= cut_off) << one << " was never saved";
  }
  for (const std::int64_t one : saved) EXPECT_EQ(found.count(one), 1U) << one << " is lost";
  EXPECT_LE(found.size(), saved.size() + 1);
  EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"db.yaml", "db.yaml.lock"}))
      << "what the killed one left is swept up";
}

TEST(TuningMerge, ThreadsGiveTheUnion) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "db.yaml";
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 10; ++round) {
        EXPECT_TRUE(merge_into_file(path, update_of({sample_entry(1 + thread * 10 + round)})).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(parse_file(path).file.entries.size(), 40U);
}

TEST(F17ConcurrentWriters, AKillAtAnyMomentLeavesAWholeFile) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "db.yaml";
  ASSERT_TRUE(merge_into_file(path, update_of({sample_entry(1)})).ok());
  std::mt19937 random(5);
  std::size_t entries = 1;
  for (int round = 0; round < 60; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      for (std::int64_t n = 1;; ++n) {
        if (!merge_into_file(path, update_of({sample_entry(1 + round * 10000 + n)})).ok()) _exit(1);
      }
    }
    const auto pause = std::uniform_int_distribution<int>(0, 30000)(random);
    std::this_thread::sleep_for(std::chrono::microseconds(pause));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const ParsedTuningFile parsed = parse_file(path);
    ASSERT_TRUE(parsed.problems.empty()) << parsed.problems.front();
    ASSERT_GE(parsed.file.entries.size(), entries);
    entries = parsed.file.entries.size();
  }
  EXPECT_GT(entries, 1U) << "the children must get to write";
  ASSERT_TRUE(merge_into_file(path, update_of({sample_entry(1)})).ok())
      << "the lock died with its holder";
  EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"db.yaml", "db.yaml.lock"}));
}

}  // namespace
}  // namespace fastnorm
