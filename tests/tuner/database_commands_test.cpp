// SPDX-License-Identifier: Apache-2.0
/// merge, recheck and validate, through the built program.
#include "core/backend.hpp"
#include "core/dispatcher.hpp"
#include "core/tuning_samples.hpp"
#include "core/tuning_store.hpp"
#include "core/tuning_yaml.hpp"
#include "support/temporary_folder.hpp"
#include "tuner/entry_job.hpp"
#include "tuner/program.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fastnorm::tuner {
namespace {

namespace fs = std::filesystem;
using test::autotune;
using test::contains;
using test::ProgramRun;
using test::read_text;
using test::sample_entry;
using test::sample_file;
using test::sample_gpu;
using test::sample_host;
using test::TemporaryFolder;

std::ptrdiff_t lines_in(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

class DatabaseCommands : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  std::string write_database(const std::string& name, const std::vector<TuningEntry>& entries,
                             const DeviceInfo& device = sample_gpu()) const {
    TuningFile file = sample_file(device);
    file.entries = entries;
    EXPECT_TRUE(merge_into_file(path(name), file).ok());
    return path(name);
  }

  static ParsedTuningFile parse(const std::string& name) {
    const auto parsed = parse_tuning_yaml(read_text(name), name);
    EXPECT_TRUE(parsed.ok()) << parsed.status().message();
    return parsed.ok() ? parsed.value() : ParsedTuningFile();
  }

  TemporaryFolder folder_;
};

TuningEntry measured(std::int64_t n, double us) {
  TuningEntry entry = sample_entry(n);
  entry.stats.median_us = us;
  return entry;
}

// ---- merge

TEST_F(DatabaseCommands, MergeTakesEachEntryWhereItsEvidenceIsBetter) {
  const std::string a = write_database("a.yaml", {measured(1, 100), measured(2, 300)});
  const std::string b = write_database("b.yaml", {measured(2, 200), measured(3, 100)});
  const std::string out = path("new/out.yml");
  const ProgramRun run = autotune({"merge", a, b, "-o", out});
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, out + ": 3 entries for NVIDIA H200, from 2 files; 1 gave way"))
      << run.out;
  const ParsedTuningFile merged = parse(out);
  ASSERT_EQ(merged.file.entries.size(), 3U);
  EXPECT_EQ(merged.file.entries[1].stats.median_us, 200);

  const std::string first = read_text(out);
  fs::remove(out);
  ASSERT_EQ(autotune({"merge", b, a, "-o", out}).exit_status, 0);
  EXPECT_EQ(read_text(out), first) << "whatever the order";
}

TEST_F(DatabaseCommands, MergeTakesWhatIsThereForEvidenceToo) {
  const std::string a = write_database("a.yaml", {measured(1, 100), measured(2, 300)});
  const std::string out = write_database("out.yaml", {measured(1, 50), measured(4, 70)});
  const ProgramRun run = autotune({"merge", a, "-o", out});
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "3 entries for NVIDIA H200, from 1 file; 1 gave way")) << run.out;
  const ParsedTuningFile merged = parse(out);
  ASSERT_EQ(merged.file.entries.size(), 3U);
  EXPECT_EQ(merged.file.entries[0].stats.median_us, 50);
}

TEST_F(DatabaseCommands, MergeOfFoldersKeepsDevicesApart) {
  write_database("a/h200.yaml", {measured(1, 100)});
  write_database("a/cpu.yaml", {measured(1, 100)}, sample_host());
  write_database("b/h200.yaml", {measured(2, 100)});
  const std::string out = path("out");
  const ProgramRun run = autotune({"merge", path("a"), path("b"), "-o", out});
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_EQ(parse(out + "/h200.yaml").file.entries.size(), 2U);
  EXPECT_EQ(parse(out + "/cpu.yaml").file.entries.size(), 1U);

  const ProgramRun one_file = autotune({"merge", path("a"), "-o", path("one.yaml")});
  EXPECT_EQ(one_file.exit_status, 2);
  EXPECT_TRUE(contains(one_file.err, "can hold one device")) << one_file.err;
  EXPECT_FALSE(fs::exists(path("one.yaml")));
}

TEST_F(DatabaseCommands, AFolderMergedIntoHasOneFileForEachDevice) {
  write_database("out/h200.yaml", {measured(1, 100)});
  write_database("here/my.yaml", {measured(1, 50), measured(2, 100)});
  write_database("there/my.yaml", {measured(3, 100)}, sample_host());
  DeviceInfo other = sample_host();
  other.processors += 1;
  write_database("elsewhere/my.yaml", {measured(4, 100)}, other);
  const std::string out = path("out");
  for (int round = 0; round < 2; ++round) {
    const ProgramRun run =
        autotune({"merge", path("here"), path("there"), path("elsewhere"), "-o", out});
    ASSERT_EQ(run.exit_status, 0) << run.err;
    EXPECT_EQ(parse(out + "/h200.yaml").file.entries.size(), 2U) << "what is there takes part";
    EXPECT_EQ(parse(out + "/my.yaml").file.entries.front().shape.n, 3);
    EXPECT_EQ(parse(out + "/my-2.yaml").file.entries.front().shape.n, 4);
    std::error_code error;
    EXPECT_EQ(tuning_files_in(out, error).size(), 3U);
  }
}

TEST_F(DatabaseCommands, OfADevicesFilesInAFolderTheFirstHasTheBestEvidenceOfAll) {
  write_database("out/a.yaml", {measured(1, 100)});
  write_database("out/b.yaml", {measured(2, 50)});
  const std::string worse = write_database("worse.yaml", {measured(2, 400), measured(3, 100)});
  const ProgramRun run = autotune({"merge", worse, "-o", path("out")});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  const std::vector<TuningEntry> entries = parse(path("out/a.yaml")).file.entries;
  ASSERT_EQ(entries.size(), 3U);
  for (const TuningEntry& entry : entries) {
    EXPECT_EQ(entry.stats.median_us, entry.shape.n == 2 ? 50 : 100) << entry.shape.n;
  }
  EXPECT_EQ(parse(path("out/b.yaml")).file.entries.size(), 1U) << "left as it is";
}

TEST_F(DatabaseCommands, MergeLeavesEachEntryWhatItWasMeasuredWith) {
  TuningEntry old = measured(1, 100);
  old.provenance = {"0.0.9", "12.8", "570.1", "2026-10-01"};
  const std::string a = write_database("a.yaml", {old});
  const std::string b = write_database("b.yaml", {measured(2, 200), measured(3, 100)});
  const std::string out = path("out.yaml");
  ASSERT_EQ(autotune({"merge", a, b, "-o", out}).exit_status, 0);
  const std::vector<TuningEntry> entries = parse(out).file.entries;
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_TRUE(entries[0].provenance == old.provenance);
  EXPECT_TRUE(entries[1].provenance == measured(2, 200).provenance);
}

// 4800 and 5000 are alike, 5000 and 5200 are, but 4800 and 5200 are not.
TEST_F(DatabaseCommands, MergeGroupsDevicesAlikeInAnyOrderOfTheFiles) {
  std::vector<std::string> files;
  for (const int gb_s : {4800, 5000, 5200}) {
    DeviceInfo gpu = sample_gpu();
    gpu.memory_gb_s = gb_s;
    const std::string name = std::to_string(gb_s) + ".yaml";
    files.push_back(write_database(name, {measured(gb_s, 100)}, gpu));
  }
  std::string first;
  do {
    const std::string out = path("out");
    fs::remove_all(out);
    ASSERT_EQ(autotune({"merge", files[0], files[1], files[2], "-o", out}).exit_status, 0);
    const std::string all = read_text(out + "/4800.yaml") + read_text(out + "/5200.yaml");
    if (first.empty()) first = all;
    EXPECT_EQ(all, first) << files[0] << " " << files[1] << " " << files[2];
  } while (std::next_permutation(files.begin(), files.end()));
  EXPECT_EQ(parse(path("out/4800.yaml")).file.entries.size(), 2U);
}

TEST_F(DatabaseCommands, MergeIntoWhatCannotBeReadWholeWritesNothing) {
  const std::string good = write_database("good.yaml", {measured(1, 100)});
  for (const std::string& out : {path("out.yaml"), path("folder/out.yaml")}) {
    write_database(fs::relative(out, folder_.path()).string(), {measured(2, 100)});
    std::string text = read_text(out);
    text.replace(text.find("n: 2"), 4, "n: x");
    std::ofstream(out) << text;
    const bool in_folder = contains(out, "folder/");
    const ProgramRun run = autotune({"merge", good, "-o", in_folder ? path("folder") : out});
    EXPECT_EQ(run.exit_status, 1);
    EXPECT_TRUE(contains(run.err, out)) << run.err;
    EXPECT_EQ(read_text(out), text);
    EXPECT_FALSE(fs::exists(out + ".bad"));
  }
}

// Nobody knows whose results such a file has: it must not lose its name to others.
TEST_F(DatabaseCommands, MergeIntoAFolderLeavesAFileThatItCannotReadWhereItIs) {
  const std::string good = write_database("good.yaml", {measured(1, 100)});
  std::string newer = read_text(good);
  newer.replace(newer.find("schema: 1"), 9, "schema: 2");
  fs::create_directory(path("folder"));
  const std::string there = path("folder/good.yaml");
  for (const std::string& text : {newer, std::string("entries: ["), std::string()}) {
    std::ofstream(there) << text;
    const ProgramRun run = autotune({"merge", good, "-o", path("folder")});
    EXPECT_EQ(run.exit_status, 1) << text;
    EXPECT_EQ(lines_in(run.err), 1) << run.err;
    EXPECT_TRUE(contains(run.err, "autotune: " + there + ":")) << run.err;
    EXPECT_EQ(read_text(there), text);
    EXPECT_FALSE(fs::exists(there + ".bad"));
  }
}

TEST_F(DatabaseCommands, MergeOfWhatCannotBeReadWholeWritesNothing) {
  const std::string good = write_database("good.yaml", {measured(1, 100)});
  const std::string bad = write_database("bad.yaml", {measured(2, 100)});
  std::string text = read_text(bad);
  text.replace(text.find("n: 2"), 4, "n: x");
  std::ofstream(bad) << text;
  const std::string old = write_database("old.yaml", {measured(2, 100)});
  text = read_text(old);
  const std::string version = "kernel_version: " + std::to_string(kernel_version);
  text.replace(text.find(version), version.size(), "kernel_version: 1");
  std::ofstream(old) << text;
  std::ofstream(path("no.yaml")) << "[";
  const std::string out = path("out.yaml");
  for (const std::string& wrong :
       {bad, old, path("no.yaml"), path("absent.yaml"), path("absent")}) {
    const ProgramRun run = autotune({"merge", good, wrong, "-o", out});
    EXPECT_EQ(run.exit_status, 1) << wrong;
    EXPECT_EQ(lines_in(run.err), 1) << run.err;
    EXPECT_TRUE(contains(run.err, wrong)) << run.err;
    EXPECT_FALSE(fs::exists(out));
  }
  EXPECT_EQ(autotune({"merge", good}).exit_status, 2) << "-o is required";
  EXPECT_EQ(autotune({"merge", "-o", out}).exit_status, 2);
}

TEST_F(DatabaseCommands, ALinkToWhatIsNotThereIsNamedWithWhatToDo) {
  write_database("folder/good.yaml", {measured(1, 100)});
  const std::string link = path("folder/link.yaml");
  fs::create_symlink("nowhere.yaml", link);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"merge", path("folder"), "-o", path("out.yaml")},
        {"validate", link}}) {
    const ProgramRun run = autotune(arguments);
    EXPECT_EQ(run.exit_status, 1);
    EXPECT_EQ(
        run.err,
        "autotune: " + link +
            " is a link to nowhere.yaml, which is not there; remove the link or correct it\n");
  }
  EXPECT_FALSE(fs::exists(path("out.yaml")));
}

// ---- validate

TEST_F(DatabaseCommands, ValidateNamesEachBadEntryWithFileAndLine) {
  const std::string file =
      write_database("db.yaml", {measured(1, 1), measured(2, 2), measured(3, 3), measured(4, 4)});
  std::string text = read_text(file);
  const auto spoil = [&](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  spoil("{n: 1,", "{n: 0,");
  spoil("{median_us: 2,", "{median_us: fast,");
  spoil("{n: 4,", "{n: 3,");
  std::ofstream(file) << text;
  const auto line_of = [&](const std::string& piece, std::size_t from = 0) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(text.find(piece, from));
    return std::to_string(1 + std::count(text.begin(), end, '\n'));
  };
  const ProgramRun run = autotune({"validate", file});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_TRUE(contains(run.err,
                       " problems; the library goes on without what they name: correct or "
                       "remove it there, and tune those shapes again\n"))
      << run.err;
  const std::size_t last = text.rfind("- key");
  for (const std::string& said :
       {file + ":" + line_of("{n: 0,") + ": entry 1: shape: n is \"0\"",
        file + ":" + line_of("{median_us: fast") + ": entry 2: stats: median_us is \"fast\"",
        file + ":" + line_of("- key", last) + ": entry 4: key and shape are those of an earlier"}) {
    EXPECT_TRUE(contains(run.out, said)) << said << "\n" << run.out;
  }
}

TEST_F(DatabaseCommands, WhatAFileHoldsSteersNoTerminalAndFillsNone) {
  const std::string file = write_database("db.yaml", {measured(1, 1), measured(2, 2)});
  std::string text = read_text(file);
  const auto spoil = [&](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  spoil("name: NVIDIA H200", R"(name: "NVIDIA\e[2J\nH200")");
  spoil("median_us: 1,", "median_us: " + std::string(100'000, 'x') + ",");
  spoil("{n: 2,", R"({"\e]0;n": 2, n: 2,)");
  std::ofstream(file) << text;
  const ProgramRun validated = autotune({"validate", file});
  EXPECT_EQ(validated.exit_status, 1);
  EXPECT_EQ(lines_in(validated.out), 2) << validated.out;
  EXPECT_LT(validated.out.size(), 1000U);
  EXPECT_TRUE(
      contains(validated.out, "stats: median_us is \"" + std::string(60, 'x') +
                                  "...\"; it must be 0, or from 0.000001 to 1000000000000\n"))
      << validated.out;
  EXPECT_TRUE(contains(validated.out, R"(has an unknown field "\x1b]0;n")")) << validated.out;
  const ProgramRun shown = autotune({"show"}, {{"FASTNORM_TUNING_DB", file}});
  EXPECT_EQ(shown.exit_status, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, R"(db.yaml: NVIDIA\x1b[2J\nH200, 0 entries)")) << shown.out;
  for (const std::string* printed : {&validated.out, &validated.err, &shown.out, &shown.err}) {
    EXPECT_FALSE(contains(*printed, "\x1b")) << *printed;
  }
}

TEST_F(DatabaseCommands, ValidateSaysWhatToDoAboutOtherKernels) {
  const std::string file = write_database("db.yaml", {measured(1, 1)});
  std::string text = read_text(file);
  const std::string version = "kernel_version: " + std::to_string(kernel_version);
  text.replace(text.find(version), version.size(), "kernel_version: 1");
  std::ofstream(file) << text;
  const ProgramRun run = autotune({"validate", file});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_TRUE(contains(run.out, "entries are for kernel_version 1, this library has " +
                                    std::to_string(kernel_version)))
      << run.out;
  EXPECT_EQ(run.err, "autotune: " + file +
                         ": none of its entries is used: tune its shapes again (a run keeps this "
                         "file beside the new one), or use the library whose kernels they are "
                         "for\n");
}

TEST_F(DatabaseCommands, ValidateSaysWhatToDoAboutWhatIsNoFile) {
  const std::string cut_off = path("cut_off.yaml");
  std::ofstream(cut_off) << "schema: 1\ndevice: {name: x";
  const ProgramRun bad = autotune({"validate", cut_off});
  EXPECT_EQ(bad.exit_status, 1);
  EXPECT_EQ(lines_in(bad.err), 1) << bad.err;
  EXPECT_TRUE(contains(bad.err, "autotune: " + cut_off + ":")) << bad.err;
  EXPECT_TRUE(contains(bad.err,
                       "the library leaves the whole file out: correct it there, or remove "
                       "the file and tune again\n"))
      << bad.err;
  const ProgramRun folder = autotune({"validate", path("")});
  EXPECT_EQ(folder.exit_status, 1);
  EXPECT_EQ(folder.err,
            "autotune: " + path("") + " is a folder; validate takes one of its files\n");
}

// ---- recheck, and what else asks this host

class RecheckProgram : public DatabaseCommands {
 protected:
  void SetUp() override {
    for (const Backend* backend : backends()) {
      if (backend->memory() == MemorySpace::host) host_ = *backend->device(-1).value();
    }
    if (host_.name.empty()) GTEST_SKIP() << "this build has no back end for the host";
  }

  /// Of this host, for a small problem.
  TuningEntry host_entry(const std::string& strategy, const ConfigFields& config) const {
    TuningEntry entry = sample_entry(2, 8, 4, 16);
    entry.key.backend = "kokkos-host";
    entry.strategy = strategy;
    entry.config = config;
    return entry;
  }

  /// What the library itself would choose.
  TuningEntry default_entry() const {
    TuningEntry entry = host_entry("", {});
    const Candidate target{find_backend("kokkos-host"), &host_};
    const Selection selection =
        choose(job_of(entry).value().problem, {target}, TuningDb(), {}).value();
    entry.strategy = selection.variant->name();
    entry.config = selection.config.fields();
    return entry;
  }

  /// One that this library, on any host, can run.
  TuningEntry usable_entry() const {
    return host_entry("rows",
                      {{"lanes", "32"}, {"block", "1024"}, {"threads", "1"}, {"store", "cached"}});
  }

  /// As the strategy knows it, but with a number of lanes that no call can run.
  TuningEntry refused_entry() const {
    return host_entry("rows",
                      {{"lanes", "3"}, {"block", "1024"}, {"threads", "1"}, {"store", "cached"}});
  }

  DeviceInfo host_;
};

TEST_F(RecheckProgram, DropsWhatNoLongerRunsAndTouchesNothingElse) {
  TuningEntry foreign = sample_entry(7);
  foreign.key.backend = "vulkan";
  const std::string db = write_database("db.yaml", {refused_entry(), foreign}, host_);
  const ProgramRun run = autotune({"recheck", "--backend", "kokkos", "--db", db});
  EXPECT_EQ(run.exit_status, 0) << run.out << run.err;
  EXPECT_TRUE(contains(run.out, db + ":\n")) << run.out;
  EXPECT_TRUE(contains(run.out, "dropped     group_norm f32 2x8x16 groups=4: rows lanes=3"))
      << run.out;
  EXPECT_TRUE(contains(run.out, "0 kept, 1 dropped, 0 not checked")) << run.out;
  const ParsedTuningFile left = parse(db);
  ASSERT_EQ(left.file.entries.size(), 1U);
  EXPECT_TRUE(test::same_entry(left.file.entries[0], foreign));
}

// As merge does: a newer library may know them.
TEST_F(RecheckProgram, KeepsWhatIsUnknownHereAndSaysSo) {
  const TuningEntry newer = host_entry("v9_rows", {{"lanes", "4"}});
  const std::string db = write_database("db.yaml", {newer}, host_);
  const ProgramRun run = autotune({"recheck", "--backend", "kokkos", "--db", db});
  EXPECT_EQ(run.exit_status, 1) << run.out << run.err;
  EXPECT_TRUE(contains(run.out,
                       "not checked group_norm f32 2x8x16 groups=4: v9_rows lanes=4: "
                       "strategy v9_rows is unknown to kokkos-host"))
      << run.out;
  EXPECT_TRUE(contains(run.out, "0 kept, 0 dropped, 1 not checked")) << run.out;
  const ParsedTuningFile left = parse(db);
  ASSERT_EQ(left.file.entries.size(), 1U);
  EXPECT_TRUE(test::same_entry(left.file.entries[0], newer));
}

// Of two entries for the same calls, the one that is not deterministic has to come first.
TEST_F(RecheckProgram, EntriesAreCheckedInOrderWhateverThatOfTheFile) {
  TuningEntry second = host_entry("v9_rows", {{"lanes", "4"}});
  second.shape.n = 3;
  const std::string db =
      write_database("db.yaml", {host_entry("v9_rows", {{"lanes", "4"}}), second}, host_);
  std::string text = read_text(db);
  text.replace(text.find("n: 2"), 4, "n: 9");
  std::ofstream(db) << text;
  const ProgramRun run = autotune({"recheck", "--backend", "kokkos", "--db", db});
  EXPECT_TRUE(contains(run.out, "0 kept, 0 dropped, 2 not checked")) << run.out << run.err;
  EXPECT_LT(run.out.find("f32 3x8x16"), run.out.find("f32 9x8x16")) << run.out;
}

TEST_F(RecheckProgram, ADatabaseThatCannotBeWrittenIsFoundOutBeforeAnythingIsMeasured) {
  const std::string db = write_database("db.yaml", {refused_entry()}, host_);
  const std::string before = read_text(db);
  // What root meets, too, whom no permissions stop.
  rlimit unlimited{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
  const rlimit limit{1, unlimited.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  const ProgramRun run = autotune({"recheck", "--backend", "kokkos", "--db", db});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "autotune: cannot write " + db +
                         ": File too large; nothing was measured, and a copy can be checked: --db "
                         "COPY\n");
  EXPECT_EQ(read_text(db), before);
}

// Those of a newer library may be such: this one passes over them, and loses neither them nor, for
// their sake, what it can use.
TEST_F(RecheckProgram, MergeKeepsWhatIsUnknownHereAndSaysSo) {
  const TuningEntry usable = usable_entry();
  TuningEntry faster = host_entry("v9_rows", {{"lanes", "4"}});
  faster.stats.median_us = usable.stats.median_us / 2;
  TuningEntry undisputed = host_entry("rows", {{"strains", "4"}});
  undisputed.shape.n = 3;
  const std::string newer = write_database("newer.yaml", {faster, undisputed}, host_);
  const std::string older = write_database("older.yaml", {usable}, host_);
  for (const auto& order : {std::vector<std::string>{newer, older}, {older, newer}}) {
    const std::string out = path("out.yaml");
    const ProgramRun run = autotune({"merge", order[0], order[1], "-o", out});
    EXPECT_EQ(run.exit_status, 0) << run.err;
    EXPECT_EQ(lines_in(run.err), 1) << run.err;
    for (const std::string& said :
         {"autotune: warning: " + newer + ":6: entry 1: strategy v9_rows is unknown to kokkos-host",
          std::string("(and 1 more; \"autotune validate\" lists them); such entries are kept where "
                      "no other is for the same calls")}) {
      EXPECT_TRUE(contains(run.err, said)) << said << "\n" << run.err;
    }
    const ParsedTuningFile merged = parse(out);
    ASSERT_EQ(merged.file.entries.size(), 2U);
    EXPECT_TRUE(test::same_entry(merged.file.entries[0], usable));
    EXPECT_TRUE(test::same_entry(merged.file.entries[1], undisputed));
    fs::remove(out);
  }
  const ProgramRun validated = autotune({"validate", newer});
  EXPECT_EQ(validated.exit_status, 1);
  for (const char* said : {":6: entry 1: strategy v9_rows", ":10: entry 2: "}) {
    EXPECT_TRUE(contains(validated.out, newer + said)) << said << "\n" << validated.out;
  }
}

TEST_F(RecheckProgram, ValidateNamesWhatThisDeviceCannotRun) {
  const std::string db = write_database("db.yaml", {refused_entry()}, host_);
  const ProgramRun run = autotune({"validate", db});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_TRUE(contains(run.out, db + ":6: entry 1: rows lanes=3,block=1024,threads=1,store=cached"))
      << run.out;
}

TEST_F(RecheckProgram, MergeBelievesNoTimeOfWhatThisDeviceCannotRun) {
  TuningEntry refused = refused_entry();
  const TuningEntry usable = usable_entry();
  refused.stats.median_us = usable.stats.median_us / 2;
  const std::string bad = write_database("bad.yaml", {refused}, host_);
  const std::string good = write_database("good.yaml", {usable}, host_);
  for (const auto& order : {std::vector<std::string>{bad, good}, {good, bad}}) {
    const std::string out = path("out.yaml");
    const ProgramRun run = autotune({"merge", order[0], order[1], "-o", out});
    EXPECT_EQ(run.exit_status, 0) << run.err;
    EXPECT_TRUE(contains(run.err, bad + ":6: entry 1: rows lanes=3")) << run.err;
    const std::vector<TuningEntry> entries = parse(out).file.entries;
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_TRUE(test::same_entry(entries[0], usable));
    fs::remove(out);
  }
}

TEST_F(RecheckProgram, WhatADeviceThatIsNotHereCanRunIsSaidToBeUnchecked) {
  DeviceInfo other = host_;
  other.name = "another processor";
  const std::string db = write_database("db.yaml", {refused_entry()}, other);
  const ProgramRun run = autotune({"validate", db});
  EXPECT_EQ(run.exit_status, 0) << run.out;
  EXPECT_TRUE(contains(run.out, db + ": whether the device can run 1 entry of kokkos-host not "
                                     "checked: it is not here\n"))
      << run.out;
}

TEST_F(RecheckProgram, AKeyThatContradictsItsStrategyIsNamedAndGivesWay) {
  TuningEntry wrong = usable_entry();
  wrong.key.deterministic = false;
  wrong.stats.median_us /= 2;
  const std::string bad = write_database("bad.yaml", {wrong}, host_);
  const std::string good = write_database("good.yaml", {usable_entry()}, host_);
  const ProgramRun validated = autotune({"validate", bad});
  EXPECT_EQ(validated.exit_status, 1);
  EXPECT_TRUE(contains(validated.out, "entry 1: key says deterministic: false, but rows is\n"))
      << validated.out;
  ASSERT_EQ(autotune({"merge", bad, good, "-o", path("out.yaml")}).exit_status, 0);
  const std::vector<TuningEntry> entries = parse(path("out.yaml")).file.entries;
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_TRUE(entries[0].key.deterministic);
}

TEST_F(RecheckProgram, WhatWasMeasuredOtherwiseIsNotedAndNoError) {
  TuningEntry old = default_entry();
  const std::string now = old.provenance.fastnorm;
  old.provenance.fastnorm = "0.0.9";
  const std::string db = write_database("db.yaml", {old}, host_);
  const std::string found =
      "1 of 1 entry of kokkos-host was measured with fastnorm 0.0.9 instead "
      "of " +
      now + "; \"autotune recheck --backend kokkos --db " + db + "\" measures again\n";
  const ProgramRun validated = autotune({"validate", db});
  EXPECT_EQ(validated.exit_status, 0) << validated.out;
  EXPECT_EQ(validated.out,
            db + ": note: " + found + db + ": valid, 1 entry for " + host_.name + "\n");
  const ProgramRun shown = autotune({"show", "--db", db});
  for (const std::string& said :
       {"1 entry measured with fastnorm 0.0.9, CUDA 13.0, driver 580.65\n" + found,
        "2026-11-29  " + old.strategy}) {
    EXPECT_TRUE(contains(shown.out, said)) << said << "\n" << shown.out;
  }
  const ProgramRun json = autotune({"show", "--json", "--db", db});
  EXPECT_TRUE(contains(json.out, "\"fastnorm\": \"0.0.9\"")) << json.out;
  EXPECT_TRUE(contains(json.out, "\"measured_otherwise\": [")) << json.out;
  const ProgramRun explained = autotune(
      {"explain", "--backend", "kokkos", "--db", db, "--shape", "2x8x16", "--groups", "4"});
  EXPECT_TRUE(contains(explained.out, "(2026-11-29), with fastnorm 0.0.9 instead of " + now + "\n"))
      << explained.out;
  EXPECT_EQ(explained.err, "fastnorm: warning: " + db + ": " + found);

  const ProgramRun rechecked = autotune({"recheck", "--backend", "kokkos", "--db", db});
  const std::vector<TuningEntry> left = parse(db).file.entries;
  // On a busy machine the old figures stay, with what they were measured with.
  const bool disturbed = contains(rechecked.out, "; disturbed, so that its figures stay");
  EXPECT_TRUE(contains(rechecked.out, "1 kept, 0 dropped, 0 not checked")) << rechecked.out;
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].provenance.fastnorm, disturbed ? "0.0.9" : now) << rechecked.out;
  EXPECT_EQ(left[0].stats.median_us == old.stats.median_us, disturbed);
}

TEST_F(RecheckProgram, WhatTheBudgetLeavesIsCountedAndSaid) {
  const TuningEntry first = refused_entry();
  TuningEntry second = first;
  second.shape.n = 3;
  const std::string db = write_database("db.yaml", {first, second}, host_);
  // An entry takes two evaluations.
  const ProgramRun run = autotune({"recheck", "--backend", "kokkos", "--db", db, "--budget", "2"});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_TRUE(contains(run.out,
                       "not checked 1 more: the budget, 2 evaluations, is spent; "
                       "--budget gives more\n"))
      << run.out;
  EXPECT_TRUE(contains(run.out, "0 kept, 1 dropped, 1 not checked")) << run.out;
  EXPECT_TRUE(contains(
      run.err, "not all entries were checked, for the reasons above; those stay as they are"))
      << run.err;
  EXPECT_EQ(parse(db).file.entries.size(), 1U);
}

TEST_F(RecheckProgram, ATunedDatabaseIsMeasuredAgain) {
  const std::string db = path("db.yaml");
  ASSERT_EQ(autotune({"--backend", "kokkos", "--shape", "2x8x16x16", "--groups", "4", "--budget",
                      "3", "--db", db})
                .exit_status,
            0);
  const ProgramRun run = autotune({"recheck", "--backend", "kokkos", "--db", db});
  // On a machine that has other work, too, a loss is none: the entry stays, and is not checked.
  const bool disturbed = contains(run.out, "0 kept, 0 dropped, 1 not checked");
  const bool dropped = contains(run.out, "0 kept, 1 dropped");
  EXPECT_EQ(run.exit_status, disturbed ? 1 : 0) << run.out << run.err;
  EXPECT_TRUE(disturbed || dropped || contains(run.out, "1 kept, 0 dropped")) << run.out;
  EXPECT_EQ(contains(run.out, "the measurements were disturbed"), disturbed) << run.out;
  EXPECT_EQ(parse(db).file.entries.size(), dropped ? 0U : 1U);
  const std::string gpus = write_database("gpu.yaml", {measured(1, 100)});
  const ProgramRun foreign = autotune({"recheck", "--backend", "kokkos", "--db", gpus});
  EXPECT_EQ(foreign.exit_status, 1);
  EXPECT_TRUE(contains(foreign.err, "no entry of " + gpus +
                                        " was measured on this device with kokkos-host; "
                                        "\"autotune show --db " +
                                        gpus + "\" lists what is there"))
      << foreign.err;
  const ProgramRun none = autotune({"recheck", "--backend", "kokkos", "--db", path("other.yaml")});
  EXPECT_EQ(none.exit_status, 1);
  EXPECT_TRUE(contains(none.err, "other.yaml")) << none.err;
}

}  // namespace
}  // namespace fastnorm::tuner
