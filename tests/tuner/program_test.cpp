// SPDX-License-Identifier: Apache-2.0
/// The command line, through the built program.
#include "tuner/program.hpp"

#include "core/backend.hpp"
#include "core/tuning_yaml.hpp"
#include "support/temporary_folder.hpp"
#include "tuner/journal_record.hpp"
#include "tuner/recording.hpp"
#include "tuner/suspension.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace fastnorm::tuner {
namespace {

using test::autotune;
using test::autotune_into;
using test::autotune_on_terminal;
using test::children_of;
using test::contains;
using test::Environment;
using test::ProgramRun;
using test::read_text;
using test::TemporaryFolder;

/// A host back end is what these tests can count on.
class Program : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const Backend* backend : backends()) {
      if (backend->memory() == MemorySpace::host) return;
    }
    GTEST_SKIP() << "this build has no back end for the host";
  }

  /// A run that ends within a second or two.
  ProgramRun tiny_run(const std::vector<std::string>& more = {},
                      const Environment& environment = {}) {
    std::vector<std::string> arguments = {"--backend", "kokkos", "--shape",  "2x8x16x16",
                                          "--groups",  "4",      "--budget", "3"};
    if (environment.empty()) {
      arguments.push_back("--db");
      arguments.push_back(folder_.path().string());
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return autotune(arguments, environment);
  }

  /// The one file of the database.
  std::filesystem::path written_file() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path().extension() == ".yaml") return entry.path();
    }
    return {};
  }

  TemporaryFolder folder_;
};

/// Small cases of a file, the third of an operation that is not offered, the last two with an
/// activation and of another type.
constexpr const char* small_cases =
    "- {name: small_a, op: group_norm, n: 2, c: 8, spatial: [16, 16], groups: 4, dtype: f32, "
    "layout: "
    "nchw}\n"
    "- {name: small_b, op: instance_norm, n: 2, c: 8, spatial: [5], groups: 8, dtype: f32, layout: "
    "nchw}\n"
    "- {name: small_c, op: batch_norm, n: 2, c: 8, spatial: [], groups: 0, dtype: f32, layout: "
    "nchw}\n"
    "- {name: small_d, op: group_norm, n: 2, c: 8, spatial: [5], groups: 4, dtype: f32, layout: "
    "nchw, activation: relu}\n"
    "- {name: small_e, op: layer_norm, n: 2, c: 8, spatial: [], groups: 1, dtype: f16, layout: "
    "rows}\n";

TEST_F(Program, HelpAndVersionEndWell) {
  EXPECT_EQ(autotune({"--help"}).exit_status, 0);
  EXPECT_TRUE(contains(autotune({"--help"}).out, "--gpu"));
  EXPECT_EQ(autotune({"explain", "--help"}).exit_status, 0);
  const ProgramRun version = autotune({"--version"});
  EXPECT_EQ(version.exit_status, 0);
  EXPECT_TRUE(contains(version.out, "0.1.0"));
}

/// Those that a help text explains.
std::set<std::string> options_in(const std::string& help) {
  std::set<std::string> options;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  -", 0) == 0) options.insert(line.substr(2, line.find(' ', 2) - 2));
  }
  return options;
}

TEST_F(Program, HelpToACommandListsWhatGoesWithItAndNothingElse) {
  const std::set<std::string> choose = {"--gpu", "--any-gpu", "--backend", "--db"};
  const std::set<std::string> plan = {"--cases", "--op", "--dtype", "--shape", "--groups"};
  const auto all = [](std::set<std::string> options, const std::set<std::string>& more,
                      const std::set<std::string>& others = {}) {
    options.insert("-h,--help");
    options.insert(more.begin(), more.end());
    options.insert(others.begin(), others.end());
    return options;
  };
  const struct {
    const char* command;
    std::set<std::string> options;
  } commands[] = {
      {"run", all(choose, plan,
                  {"--devices", "--case", "--budget", "--search", "--proposals", "--seed",
                   "--record", "--resume"})},
      {"show", all({"--db"}, {"--json"})},
      {"explain", all(choose, plan, {"--json"})},
      {"digest", all(choose, plan, {"--case", "--json", "--lines"})},
      {"validate", all({}, {})},
      {"merge", all({"-o,--output"}, {})},
      {"recheck", all(choose, {"--budget", "--seed"})},
  };
  for (const auto& [command, options] : commands) {
    const ProgramRun help = autotune({command, "--help"});
    EXPECT_EQ(help.exit_status, 0) << command;
    EXPECT_EQ(options_in(help.out), options) << help.out;
  }
}

TEST_F(Program, NumbersBeyondTheirTypeAreNotTakenForOthers) {
  const std::string huge = "99999999999999999999";
  const struct {
    std::vector<std::string> arguments;
    std::string said;
  } wrong[] = {
      {{"--seed", huge},
       "--seed: \"" + huge + "\" must be a whole number from 0 to 18446744073709551615"},
      {{"--shape", "2x8x4", "--groups", huge},
       "--groups: \"" + huge + "\" must be a whole number from 1 to 9223372036854775807"},
      {{"--shape", huge + "x8x4", "--groups", "4"},
       "--shape: \"" + huge +
           "x8x4\" must be N, C and spatial extents (2x64x32x32), each from 1 to "
           "9223372036854775807"},
      {{"--budget", huge},
       "--budget: \"" + huge +
           "\" must be a time (60s, 2m, 1h) up to 10000000s or a number of "
           "evaluations (200) up to 1000000000"},
      {{"--budget", huge + "s"}, "--budget: \"" + huge + "s\" must be a time"},
  };
  for (const auto& [arguments, said] : wrong) {
    // Were such a number taken, a case that is not there would end the run.
    std::vector<std::string> command = arguments;
    if (arguments[0] != "--shape") command.insert(command.end(), {"--case", "no_such_case"});
    const ProgramRun run = autotune(command);
    EXPECT_EQ(run.exit_status, 2) << arguments[0];
    const std::string line = "autotune: " + said;
    EXPECT_EQ(run.err.substr(0, line.size()), line);
  }
}

TEST_F(Program, WrongUsageIsStatus2AndSaysWhatIsAllowed) {
  const struct {
    std::vector<std::string> arguments;
    std::string said;
  } wrong[] = {
      {{"--bogus"}, "--bogus"},
      {{"tune"}, "tune"},
      {{"--backend", "opencl"}, "cuda"},
      {{"--budget", "soon"}, "60s"},
      {{"--shape", "2x8xq", "--groups", "4"}, "N, C"},
      {{"--shape", "8", "--groups", "4"}, "N, C"},
      {{"--shape", "2x8x4"}, "--groups"},
      {{"--shape", "2x8x4", "--groups", "3"}, "groups=3"},
      {{"--budget", "99999999h"}, "60s"},
      {{"--groups", "4"}, "--shape"},
      {{"--shape", "2x8x4", "--groups", "4", "--case", "kb1_35_groupnorm"}, "--case"},
      {{"--op", "conv"}, "group_norm"},
      {{"--dtype", "int8"}, "bf16"},
      {{"--seed", "x"}, "--seed"},
      {{"--seed", "-1"}, "from 0"},
      {{"--devices", "first"}, "0,2"},
      {{"--search", "best"}, "guided, random, exhaustive"},
      {{"--proposals", "mine"}, "database, defaults"},
      {{"--any-gpu"}, "--gpu"},
      {{"explain", "kb1_35_groupnorm", "--op", "group_norm"}, "--shape"},
      {{"explain", "kb1_35_groupnorm", "--dtype", "f32"}, "--shape"},
      {{"--gpu", ""}, "--gpu: must not be empty"},
      {{"--db", ""}, "--db: must not be empty"},
      {{"--cases", ""}, "--cases: must not be empty"},
      {{"--record", ""}, "--record: must not be empty"},
      {{"merge", "my.yaml", "-o", ""}, "--output: must not be empty"},
      {{"--case", "no_such_case"}, "no_such_case"},
      {{"--dtype", "f64"}, "f64"},
      {{"explain"}, "CASE"},
      {{"explain", "no_such_case"}, "no_such_case"},
      {{"validate"}, "FILE"},
      {{"run", "show"}, "show"},
  };
  for (const auto& [arguments, said] : wrong) {
    const ProgramRun run = autotune(arguments, {{"FASTNORM_TUNING_DB", folder_.path().string()}});
    EXPECT_EQ(run.exit_status, 2) << arguments[0] << ": " << run.err;
    EXPECT_TRUE(contains(run.err, said)) << run.err;
    EXPECT_EQ(run.err.rfind("autotune: ", 0), 0U) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

TEST_F(Program, WhatWasTypedIsQuotedInOneShortLine) {
  const std::string steering = "\x1b[2J\n" + std::string(10'000, 'x');
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--budget", steering},
                                                    {"--backend", steering},
                                                    {"--case", steering},
                                                    {"explain", steering},
                                                    {steering}}) {
    const ProgramRun run = autotune(arguments, {{"FASTNORM_TUNING_DB", folder_.path().string()}});
    EXPECT_EQ(run.exit_status, 2) << arguments[0];
    EXPECT_EQ(run.err.rfind("autotune: ", 0), 0U) << run.err.substr(0, 100);
    EXPECT_TRUE(contains(run.err, "\\x1b[2J\\nxxx")) << run.err.substr(0, 100);
    EXPECT_FALSE(contains(run.err, "\x1b"));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1);
    EXPECT_LT(run.err.size(), 1000U) << arguments[0];
  }
}

// An option that means nothing to a command is refused, wherever it stands.
TEST_F(Program, OptionsOfOtherCommandsAreStatus2) {
  const struct {
    std::vector<std::string> arguments;
    std::string said;
  } wrong[] = {
      {{"show", "--search", "random"}, "--search goes with run, not with show"},
      {{"--search", "random", "show"}, "--search goes with run, not with show"},
      {{"recheck", "--proposals", "defaults"}, "--proposals goes with run, not with recheck"},
      {{"recheck", "--record", "all.rec"}, "--record goes with run, not with recheck"},
      {{"recheck", "--resume"}, "--resume goes with run, not with recheck"},
      {{"recheck", "--devices", "all"}, "--devices goes with run, not with recheck"},
      {{"recheck", "--case", "kb1_35_groupnorm"}, "--case goes with run and digest"},
      {{"recheck", "--cases", "my.yaml"}, "--cases goes with run, explain and digest"},
      {{"recheck", "--json"}, "--json goes with show, explain and digest"},
      {{"recheck", "--op", "rms_norm"}, "--op goes with"},
      {{"show", "--dtype", "f32"}, "--dtype goes with"},
      {{"show", "--shape", "2x8x4", "--groups", "4"}, "--shape goes with"},
      {{"show", "--backend", "kokkos"}, "--backend goes with run, explain, digest and recheck"},
      {{"show", "--gpu", "H100"}, "--gpu goes with"},
      {{"explain", "kb1_35_groupnorm", "--case", "other"}, "--case goes with"},
      {{"explain", "kb1_35_groupnorm", "--budget", "3"}, "--budget goes with run and recheck"},
      {{"digest", "--seed", "1"}, "--seed goes with run and recheck, not with digest"},
      {{"validate", "my.yaml", "--db", "my.yaml"}, "--db goes with"},
      {{"merge", "a.yaml", "-o", "b.yaml", "--db", "c.yaml"}, "--db goes with"},
      {{"--json"}, "--json goes with show, explain and digest, not with run"},
  };
  for (const auto& [arguments, said] : wrong) {
    const ProgramRun run = autotune(arguments, {{"FASTNORM_TUNING_DB", folder_.path().string()}});
    EXPECT_EQ(run.exit_status, 2) << arguments[0] << ": " << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(contains(run.err, said)) << said << "\n" << run.err;
  }
}

TEST_F(Program, DevicesAreNotThoseOfTheHostsBackEnd) {
  for (const Backend* backend : backends()) {
    if (backend->name() == "kokkos-cuda") GTEST_SKIP() << "here, kokkos is for GPUs, too";
  }
  for (const char* devices : {"0", "all", "999"}) {
    const ProgramRun run = autotune({"--devices", devices, "--backend", "kokkos"});
    EXPECT_EQ(run.exit_status, 2);
    EXPECT_EQ(run.err, "autotune: --devices is for GPUs, and --backend kokkos for the host\n");
  }
}

TEST_F(Program, AnotherGpuOrNoneIsRefusedInOneSentence) {
  const std::vector<std::string> forms[] = {
      {"--gpu", "X999"}, {"--gpu", "X999", "run"}, {"run", "--gpu", "X999"}};
  for (const auto& arguments : forms) {
    const ProgramRun run = autotune(arguments);
    EXPECT_EQ(run.exit_status, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_TRUE(contains(run.err, "--gpu X999")) << run.err;
    EXPECT_TRUE(contains(run.err, "type \"autotune --")) << run.err;
  }
}

TEST_F(Program, AMissingBackEndIsRefused) {
  for (const Backend* backend : backends()) {
    if (backend->name() == "cuda" && backend->device(-1).ok()) GTEST_SKIP() << "there is a GPU";
  }
  const ProgramRun run = autotune({"--backend", "cuda"});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_TRUE(contains(run.err, "autotune --backend kokkos")) << run.err;
}

TEST_F(Program, GpusThatAreNotThereAreNamed) {
  const std::string none = "999";
  const ProgramRun run = autotune({"--devices", none});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_TRUE(contains(run.err, "--devices 999: there is no GPU 999")) << run.err;
}

TEST_F(Program, AnExhaustiveRunRecordsEveryConfiguration) {
  const std::string recording = (folder_.path() / "tiny.rec").string();
  const ProgramRun run = autotune({"--backend", "kokkos", "--shape", "2x4x8", "--groups", "4",
                                   "--search", "exhaustive", "--proposals", "defaults", "--record",
                                   recording, "--db", folder_.path().string()});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "budget unlimited")) << run.out;
  const auto searches = parse_recording(read_text(recording), recording);
  ASSERT_TRUE(searches.ok()) << searches.status().message();
  ASSERT_EQ(searches.value().size(), 1u);
  const RecordedSearch& search = searches.value()[0];
  EXPECT_GT(search.trials.size(), 1u);
  for (const RecordedTrial& trial : search.trials) EXPECT_GE(trial.samples_us.size(), 3u);
}

TEST_F(Program, OtherLoadIsSaidAndMarked) {
  const std::string db = (folder_.path() / "db.yaml").string();
  const ProgramRun run = tiny_run({"--db", db}, {{"LD_PRELOAD", FAKE_LOAD_LIBRARY},
                                                 {"ASAN_OPTIONS", "verify_asan_link_order=0"}});
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "the load average is 99.0 on ")) << run.out;
  EXPECT_TRUE(contains(run.out, "measurements were disturbed (other_load ")) << run.out;
  EXPECT_TRUE(contains(read_text(db), "disturbed_by: other_load")) << read_text(db);
  EXPECT_EQ(autotune({"validate", db}).exit_status, 0);
  const ProgramRun explained = autotune(
      {"explain", "--backend", "kokkos", "--shape", "2x8x16x16", "--groups", "4", "--db", db});
  EXPECT_TRUE(contains(explained.out, "disturbed by other_load")) << explained.out;
}

TEST_F(Program, ATerminalShowsHowFarItIs) {
  constexpr unsigned short columns = 120;
  const std::vector<std::string> arguments = {"--backend", "kokkos", "--shape",  "2x8x16x16",
                                              "--groups",  "4",      "--budget", "12"};
  const Environment environment = {{"FASTNORM_TUNING_DB", folder_.path().string()}};
  const ProgramRun run = autotune_on_terminal(arguments, environment, columns);
  EXPECT_EQ(run.exit_status, 0) << run.out;
  std::vector<std::string> shown;
  for (std::size_t at = run.out.find('\r'); at != std::string::npos; at = run.out.find('\r', at)) {
    const std::size_t end = run.out.find_first_of("\x1b\n", ++at);
    shown.push_back(run.out.substr(at, end - at));
    EXPECT_LT(shown.back().size(), columns) << shown.back();
  }
  const auto has = [&](const std::string& piece) {
    return std::any_of(shown.begin(), shown.end(),
                       [&](const std::string& line) { return contains(line, piece); });
  };
  for (const char* piece : {"[....................] 0% 1/1 group_norm_2x8x16x16_g4: loading", "of ",
                            "tried, best ", "x the default)", "final", " left"}) {
    EXPECT_TRUE(has(piece)) << piece << "\n" << run.out;
  }
}

TEST_F(Program, ATinyRunWritesWhatTheLibraryThenPicks) {
  std::ofstream(folder_.path() / "cases.txt") << small_cases;
  const std::string cases = (folder_.path() / "cases.txt").string();
  const std::string db = (folder_.path() / "db").string();
  const ProgramRun run = autotune(
      {"--backend", "kokkos", "--cases", cases, "--db", db, "--budget", "8", "--seed", "3"});
  EXPECT_EQ(run.exit_status, 0) << run.err;
  for (const char* piece : {"small_a", "small_b", "small_d", "small_e", "speed-up", "4 tuned",
                            "geometric mean", "\nspent ", ": loading ", ", verifying ", ", timing ",
                            ", finals ", "1 skipped, op batch_norm is not offered yet: small_c"}) {
    EXPECT_TRUE(contains(run.out, piece)) << piece << "\n" << run.out;
  }
  EXPECT_FALSE(contains(run.out, "\r")) << "progress where there is no terminal";
  EXPECT_TRUE(contains(run.out, db)) << run.out;

  for (const char* name : {"small_a", "small_b"}) {
    const ProgramRun explained =
        autotune({"explain", name, "--cases", cases, "--backend", "kokkos", "--db", db});
    EXPECT_EQ(explained.exit_status, 0) << explained.err;
    EXPECT_TRUE(contains(explained.out, "exact")) << explained.out;
    EXPECT_TRUE(contains(explained.out, "kokkos-host")) << explained.out;
  }
  const ProgramRun shown = autotune({"show"}, {{"FASTNORM_TUNING_DB", db}});
  EXPECT_EQ(shown.exit_status, 0);
  EXPECT_TRUE(contains(shown.out, "kokkos-host")) << shown.out;
  EXPECT_TRUE(contains(shown.out, "group_norm f32")) << shown.out;
}

TEST_F(Program, WinnersGoToTheUsersDatabaseByDefault) {
  const std::string data = folder_.path().string();
  const ProgramRun run = tiny_run({}, {{"FASTNORM_TUNING_DB", ""}, {"XDG_DATA_HOME", data}});
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, data + "/fastnorm/tuning_db/")) << run.out;
  const ProgramRun none = tiny_run({}, {{"FASTNORM_TUNING_DB", "none"}});
  EXPECT_EQ(none.exit_status, 2);
  EXPECT_TRUE(contains(none.err, "--db")) << none.err;
}

TEST_F(Program, ALinkToADatabaseThatIsNotThereStaysALink) {
  const std::filesystem::path real = folder_.path() / "new" / "my.yml";
  const std::filesystem::path link = folder_.path() / "link.yml";
  std::filesystem::create_symlink("new/my.yml", link);
  const ProgramRun run = autotune({"--backend", "kokkos", "--shape", "2x8x16x16", "--groups", "4",
                                   "--budget", "3", "--db", link.string()});
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(real)));
  EXPECT_EQ(autotune({"validate", link.string()}).exit_status, 0);
}

// "none" is no folder's name, here as in the library's own variable.
TEST_F(Program, NoDatabaseIsNoPlaceToWriteTo) {
  const Environment own = {{"FASTNORM_TUNING_DB", folder_.path().string()}};
  const struct {
    std::vector<std::string> arguments;
    std::string said;
  } refused[] = {
      {{"--db", "none"}, "--db none"},
      {{"run", "--db", "none"}, "--db none"},
      {{"recheck", "--db", "none"}, "--db none"},
      {{"merge", "my.yaml", "-o", "none"}, "-o none"},
      {{"merge", "none", "-o", "my.yaml"}, "DB none"},
  };
  for (const auto& [arguments, said] : refused) {
    const ProgramRun run = autotune(arguments, own);
    EXPECT_EQ(run.exit_status, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_TRUE(contains(run.err, said + " means no database")) << run.err;
    EXPECT_TRUE(contains(run.err, "a folder or a .yaml file")) << run.err;
  }
  EXPECT_FALSE(std::filesystem::exists("none"));
  const ProgramRun run = autotune({}, {{"FASTNORM_TUNING_DB", "none"}});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_TRUE(contains(run.err, "FASTNORM_TUNING_DB none means no database")) << run.err;
}

TEST_F(Program, NoDatabaseIsNoneToReadFrom) {
  std::ofstream(folder_.path() / "cases.txt") << small_cases;
  const std::string cases = (folder_.path() / "cases.txt").string();
  const std::string db = (folder_.path() / "db").string();
  const auto explained = [&](const std::string& from) {
    const ProgramRun run =
        autotune({"explain", "small_a", "--cases", cases, "--backend", "kokkos", "--db", from},
                 {{"FASTNORM_TUNING_DB", db}});
    EXPECT_EQ(run.exit_status, 0) << run.err;
    return run.out;
  };
  const ProgramRun tuned = autotune(
      {"--backend", "kokkos", "--cases", cases, "--case", "small_a", "--db", db, "--budget", "3"});
  ASSERT_EQ(tuned.exit_status, 0) << tuned.err;
  EXPECT_TRUE(contains(explained(db), "why:   exact"));
  const std::string without = explained("none");
  EXPECT_FALSE(contains(without, "why:   exact")) << without;
  EXPECT_FALSE(contains(without, db)) << without;

  const auto shown = [&](const std::string& from) {
    const ProgramRun run = autotune({"show", "--db", from}, {{"FASTNORM_TUNING_DB", db}});
    EXPECT_EQ(run.exit_status, 0) << run.err;
    return run.out;
  };
  EXPECT_TRUE(contains(shown(db), db + "/")) << "the winner is to be there";
  const std::string shipped = shown("none");
  EXPECT_TRUE(contains(shipped, "user database: none\n")) << shipped;
  EXPECT_FALSE(contains(shipped, db)) << shipped;
}

TEST_F(Program, ExplainSaysHeuristicWhereNothingWasTuned) {
  const ProgramRun run = autotune({"explain", "kb1_35_groupnorm", "--backend", "kokkos"},
                                  {{"FASTNORM_TUNING_DB", folder_.path().string()}});
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "why:   heuristic")) << run.out;
  EXPECT_TRUE(contains(run.out, "autotune --backend kokkos --case kb1_35_groupnorm")) << run.out;
  const ProgramRun skipped = autotune({"explain", "kb2_15_batchnorm"});
  EXPECT_EQ(skipped.exit_status, 1);
  EXPECT_TRUE(contains(skipped.err, "batch_norm is not offered yet")) << skipped.err;
}

TEST_F(Program, CasesThatDoNotFitAreSkippedWithTheReason) {
  const ProgramRun run = tiny_run({"--shape", "100000x64x512x512"});
  EXPECT_EQ(run.exit_status, 2) << "a shape given twice";
  const ProgramRun huge = autotune({"--backend", "kokkos", "--shape", "100000x64x512x512",
                                    "--groups", "8", "--db", folder_.path().string()});
  EXPECT_EQ(huge.exit_status, 1);
  EXPECT_TRUE(contains(huge.out, "GB")) << huge.out;
  EXPECT_TRUE(contains(huge.err, "nothing was tuned")) << huge.err;
}

// Each an entry of its own, though rows and columns are as many and as long.
TEST_F(Program, TunesEveryLayout) {
  const auto file = folder_.path() / "cases.yaml";
  std::ofstream(file)
      << "- {name: planes, op: group_norm, n: 2, c: 8, spatial: [4, 4], groups: 2, dtype: f32, "
         "layout: nchw}\n"
         "- {name: pixels, op: group_norm, n: 2, c: 8, spatial: [4, 4], groups: 2, dtype: f32, "
         "layout: nhwc}\n"
         "- {name: rows, op: layer_norm, n: 32, c: 8, spatial: [], groups: 1, dtype: f32, layout: "
         "rows}\n"
         "- {name: columns, op: layer_norm_channels, n: 2, c: 8, spatial: [4, 4], groups: 1, "
         "dtype: f32, layout: nchw}\n";
  const std::filesystem::path db = folder_.path() / "my.yaml";
  const ProgramRun run = autotune(
      {"--backend", "kokkos", "--cases", file.string(), "--budget", "12", "--db", db.string()});
  EXPECT_EQ(run.exit_status, 0) << run.out << run.err;
  EXPECT_FALSE(contains(run.out, "skipped")) << run.out;
  const std::string text = read_text(db);
  for (const char* layout : {"layout: channels_first", "layout: channels_last"}) {
    const std::size_t first = text.find(layout);
    ASSERT_NE(first, std::string::npos) << text;
    EXPECT_NE(text.find(layout, first + 1), std::string::npos) << text;
  }
}

TEST_F(Program, AMalformedCaseFileIsNamedWithItsLine) {
  const auto file = folder_.path() / "cases.yaml";
  std::ofstream(file) << "- {name: a, op: group_norm, n: x}\n";
  const ProgramRun run = autotune({"--cases", file.string()});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_TRUE(contains(run.err, file.string() + ":1: case a")) << run.err;
}

TEST_F(Program, ValidateListsWhatIsWrongByLine) {
  ASSERT_EQ(tiny_run().exit_status, 0);
  const std::filesystem::path file = written_file();
  ASSERT_FALSE(file.empty());
  const ProgramRun good = autotune({"validate", file.string()});
  EXPECT_EQ(good.exit_status, 0) << good.out << good.err;
  EXPECT_TRUE(contains(good.out, "valid, 1 entry for ")) << good.out;

  const std::string text = read_text(file);
  const auto spoil = [&](const std::string& from, const std::string& to) {
    std::string spoilt = text;
    const std::size_t at = spoilt.find(from);
    EXPECT_NE(at, std::string::npos) << from << "\n" << text;
    std::ofstream(file) << spoilt.replace(at, from.size(), to);
    return autotune({"validate", file.string()});
  };
  const auto line_of = [&](const std::string& piece) {
    return 1 + std::count(text.begin(),
                          text.begin() + static_cast<std::ptrdiff_t>(text.find(piece)), '\n');
  };
  const ProgramRun no_strategy = spoil("strategy: ", "strategy: x_");
  EXPECT_EQ(no_strategy.exit_status, 1);
  EXPECT_TRUE(contains(no_strategy.out, file.string() + ":" + std::to_string(line_of("- key"))))
      << no_strategy.out;
  EXPECT_TRUE(contains(no_strategy.out, "x_")) << no_strategy.out;
  const ProgramRun no_field = spoil("lanes: ", "strains: ");
  EXPECT_EQ(no_field.exit_status, 1);
  EXPECT_TRUE(contains(no_field.out, "lanes")) << no_field.out;
  const ProgramRun bad_shape = spoil("groups: 4", "groups: 3");
  EXPECT_EQ(bad_shape.exit_status, 1);
  EXPECT_TRUE(contains(bad_shape.out, file.string() + ":" + std::to_string(line_of("groups: 4"))))
      << bad_shape.out;
  const ProgramRun other_backend = spoil("kokkos-host", "vulkan");
  EXPECT_EQ(other_backend.exit_status, 0) << other_backend.err;
  EXPECT_TRUE(contains(other_backend.out, "no back end vulkan")) << other_backend.out;
  EXPECT_EQ(autotune({"validate", (folder_.path() / "absent.yaml").string()}).exit_status, 1);
}

TEST_F(Program, KilledItGoesOnAndMeasuresNothingAgain) {
  const std::string cases = (folder_.path() / "cases.txt").string();
  std::ofstream(cases)
      << "- {name: quick, op: group_norm, n: 1, c: 4, spatial: [8], groups: 2, dtype: f32, layout: "
         "nchw}\n"
         "- {name: slow, op: group_norm, n: 64, c: 64, spatial: [32, 32], groups: 2, dtype: f32, "
         "layout: nchw}\n";
  const std::filesystem::path db = folder_.path() / "db";
  std::vector<std::string> arguments = {"--backend", "kokkos",   "--cases", cases,      "--budget",
                                        "20",        "--resume", "--db",    db.string()};
  const ProgramRun killed = autotune(arguments, {}, [](int process, const std::string& out) {
    if (contains(out, "\nquick ")) kill(process, SIGKILL);
  });
  ASSERT_EQ(killed.exit_status, -1) << killed.out << killed.err;
  EXPECT_TRUE(contains(killed.out, "there is no unfinished run like this one")) << killed.out;
  const auto row_of = [](const std::string& out, const std::string& name) {
    const std::size_t at = out.find("\n" + name + " ");
    return at == std::string::npos ? "" : out.substr(at + 1, out.find('\n', at + 1) - at);
  };

  const ProgramRun resumed = autotune(arguments);
  EXPECT_EQ(resumed.exit_status, 0) << resumed.err;
  EXPECT_TRUE(contains(resumed.out, "goes on with " + db.string())) << resumed.out;
  EXPECT_EQ(row_of(resumed.out, "quick"), row_of(killed.out, "quick")) << "times and all";
  EXPECT_NE(row_of(resumed.out, "slow"), "") << resumed.out;
  EXPECT_TRUE(contains(resumed.out, "2 tuned")) << resumed.out;
  for (const auto& entry : std::filesystem::directory_iterator(db)) {
    EXPECT_NE(entry.path().extension(), ".journal") << "the run has ended";
  }
}

/// Of all journals in the folder, each line by itself.
std::vector<std::string> journal_lines(const std::filesystem::path& folder) {
  std::vector<std::string> lines;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".journal") continue;
    std::istringstream text(read_text(entry.path()));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
  }
  return lines;
}

TEST_F(Program, ARunThatMeasuresNothingPutsTheUnfinishedOneBack) {
  std::ofstream(folder_.path() / "cases.txt") << small_cases;
  const std::filesystem::path db = folder_.path() / "my.yaml";
  const std::vector<std::string> arguments = {
      "--backend", "kokkos", "--cases", (folder_.path() / "cases.txt").string(),
      "--budget",  "20",     "--db",    db.string()};
  const ProgramRun killed = autotune(arguments, {}, [](int process, const std::string& out) {
    if (contains(out, "\nsmall_a ")) kill(process, SIGKILL);
  });
  ASSERT_EQ(killed.exit_status, -1) << killed.out << killed.err;
  const std::vector<std::string> before = journal_lines(folder_.path());
  ASSERT_GT(before.size(), 3U);

  // A database that cannot be written.
  std::filesystem::remove(db);
  std::filesystem::create_directory(db);
  const ProgramRun failed = autotune(arguments);
  EXPECT_EQ(failed.exit_status, 1);
  EXPECT_TRUE(contains(failed.err,
                       "; the unfinished run before it is back, and the same with "
                       "--resume goes on with it\n"))
      << failed.err;
  EXPECT_EQ(journal_lines(folder_.path()), before);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_NE(entry.path().extension(), ".old");
  }
}

TEST_F(Program, AnUnfinishedRunIsForWhoeverTheDatabaseIsFor) {
  const std::string folder = folder_.path().string();
  ASSERT_EQ(tiny_run().exit_status, 0);
  constexpr auto shared = std::filesystem::perms(0660);
  std::filesystem::permissions(written_file(), shared);
  std::ofstream(folder_.path() / "cases.txt") << small_cases;
  const ProgramRun killed = autotune(
      {"--backend", "kokkos", "--cases", (folder_.path() / "cases.txt").string(), "--db", folder},
      {}, [](int process, const std::string& out) {
        if (contains(out, "\nsmall_a ")) kill(process, SIGKILL);
      });
  ASSERT_EQ(killed.exit_status, -1) << killed.out << killed.err;
  int journals = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().extension() != ".journal") continue;
    ++journals;
    EXPECT_EQ(entry.status().permissions(), shared);
  }
  EXPECT_EQ(journals, 1);
}

TEST_F(Program, ADatabaseThatCannotBeWrittenIsFoundOutBeforeAnythingIsMeasured) {
  // Nobody can make files there, nor replace a folder by a file.
  const std::filesystem::path folder = folder_.path() / "folder.yaml";
  std::filesystem::create_directory(folder);
  for (const std::string& db : {std::string("/proc/self/db.yaml"), folder.string()}) {
    const ProgramRun run =
        autotune({"--backend", "kokkos", "--shape", "2x8x16x16", "--groups", "4", "--db", db});
    EXPECT_EQ(run.exit_status, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_TRUE(contains(run.err, db)) << run.err;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_NE(entry.path().extension(), ".journal") << "there is nothing to go on with";
  }
}

TEST_F(Program, AFileThatMayNotGrowIsSaidAsAFullDiskIs) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit limit{1, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  const ProgramRun run = autotune({"--backend", "kokkos", "--shape", "2x8x16x16", "--groups", "4",
                                   "--db", (folder_.path() / "my.yaml").string()});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(run.exit_status, 1) << run.err;
  EXPECT_TRUE(contains(run.err, "File too large")) << run.err;
}

TEST_F(Program, OutputThatCannotBeWrittenIsAFailure) {
  const std::filesystem::path full = "/dev/full";
  const std::vector<std::string> shape = {"--backend", "kokkos", "--shape", "2x8x16x16",
                                          "--groups",  "4",      "--db",    "none"};
  std::vector<std::vector<std::string>> commands = {{"show", "--db", "none"}};
  for (const char* command : {"explain", "digest"}) {
    commands.push_back(shape);
    commands.back().insert(commands.back().begin(), command);
  }
  for (const std::vector<std::string>& arguments : commands) {
    const ProgramRun run = autotune_into(full, arguments);
    EXPECT_EQ(run.exit_status, 1) << arguments[0];
    EXPECT_EQ(run.err, "autotune: cannot write all of standard output\n") << arguments[0];
  }
  const ProgramRun tuned =
      autotune_into(full, {"--backend", "kokkos", "--shape", "2x8x16x16", "--groups", "4",
                           "--budget", "3", "--db", folder_.path().string()});
  EXPECT_EQ(tuned.exit_status, 1) << tuned.err;
  EXPECT_TRUE(std::filesystem::exists(written_file())) << "what was found is kept all the same";
}

TEST_F(Program, ARecordingThatCannotBeWrittenIsSaidBeforeAnythingIsMeasured) {
  const std::filesystem::path record = folder_.path() / "missing" / "all.rec";
  const ProgramRun run =
      autotune({"--backend", "kokkos", "--shape", "2x8x16x16", "--groups", "4", "--db",
                (folder_.path() / "my.yaml").string(), "--record", record.string()});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_TRUE(contains(run.err, "--record is " + record.string() + ", whose folder is not there"))
      << run.err;
  EXPECT_FALSE(contains(run.out, "Tuning")) << run.out;
}

// What is there may be anything: the database, the cases, a disk.
TEST_F(Program, ARecordingReplacesNothingButARecording) {
  const std::string cases = (folder_.path() / "cases.txt").string();
  std::ofstream(cases) << small_cases;
  const std::string db = (folder_.path() / "my.yaml").string();
  const std::string new_db = (folder_.path() / "new.yaml").string();
  const std::string link = (folder_.path() / "link.rec").string();
  std::filesystem::create_symlink("cases.txt", link);
  std::ofstream(db) << "the database";
  const std::string folder = folder_.path().string();
  const auto run = [&](const std::string& record) {
    return autotune({"--backend", "kokkos", "--cases", cases, "--case", "small_a", "--budget", "3",
                     "--db", new_db, "--record", record});
  };
  const struct {
    std::string record;
    const char* why;
  } refused[] = {{cases, "which is there and no recording"},
                 {link, "which is there and no recording"},
                 {db, "which is there and no recording"},
                 {new_db, "which is a database's name (.yaml, .yml)"},
                 {folder, "which is no regular file"},
                 {"/dev/null", "which is no regular file"}};
  for (const auto& [record, why] : refused) {
    const ProgramRun tried = run(record);
    EXPECT_EQ(tried.exit_status, 2) << record;
    EXPECT_EQ(tried.err, "autotune: --record is " + record + ", " + why +
                             "; it must be a new file or an earlier recording\n");
    EXPECT_EQ(tried.out, "");
  }
  EXPECT_EQ(read_text(cases), small_cases);
  EXPECT_EQ(read_text(db), "the database");
  EXPECT_FALSE(std::filesystem::exists(new_db)) << "nothing was measured";

  const std::string record = (folder_.path() / "all.rec").string();
  std::ofstream(record) << "fastnorm recording 1\n";
  const ProgramRun replaced = run(record);
  EXPECT_EQ(replaced.exit_status, 0) << replaced.err;
  EXPECT_TRUE(contains(read_text(record), "\ncase\tsmall_a\t")) << read_text(record);
}

TEST_F(Program, ARecordingThatWouldReplaceWhatCameMeanwhileIsNotWritten) {
  const std::filesystem::path record = folder_.path() / "all.rec";
  const std::vector<std::string> arguments = {
      "--backend", "kokkos", "--shape",  "2x8x16x16",
      "--groups",  "4",      "--db",     (folder_.path() / "my.yaml").string(),
      "--budget",  "3",      "--record", record.string()};
  const ProgramRun run = autotune(arguments, {}, [&](int, const std::string& out) {
    if (contains(out, "Tuning")) std::ofstream(record) << "somebody's";
  });
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_TRUE(contains(run.err, "which is there and no recording")) << run.err;
  EXPECT_TRUE(contains(run.err, "the same with --resume goes on from there")) << run.err;
  EXPECT_EQ(read_text(record), "somebody's");
}

// What is opened first would get their numbers, and what is printed would go there.
TEST_F(Program, WithClosedStandardStreamsNothingIsPrintedIntoTheJournal) {
  const std::vector<std::vector<int>> closed = {{0, 1, 2}, {0, 1}, {1}, {2}};
  for (const std::vector<int>& streams : closed) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "cases.txt") << small_cases;
    bool ended = false;
    const int exit_status = test::autotune_without(
        streams,
        {"--backend", "kokkos", "--cases", (folder.path() / "cases.txt").string(), "--search",
         "exhaustive", "--db", folder.path().string()},
        [&](int process) {
          const std::vector<std::string> lines = journal_lines(folder.path());
          const bool stored = std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
            return contains(line, "\tstored\t");
          });
          if (!ended && stored) kill(process, SIGTERM);
          ended = ended || stored;
        });
    EXPECT_EQ(exit_status, 1) << "interrupted";
    EXPECT_TRUE(ended) << "it ends before anything is tuned";
    const std::vector<std::string> lines = journal_lines(folder.path());
    EXPECT_GT(lines.size(), 3U);
    for (const std::string& line : lines) EXPECT_TRUE(parse_line(line)) << line;
  }
}

/// How much a run says that it has spent.
double seconds_spent(const ProgramRun& run) {
  double spent = 0;
  const std::size_t at = run.out.find("\nspent ");
  const bool said =
      at != std::string::npos && std::sscanf(run.out.c_str() + at, "\nspent %lfs", &spent) == 1;
  EXPECT_TRUE(said) << run.out;
  return spent;
}

class SuspendedProgram : public Program, public ::testing::WithParamInterface<int> {};

TEST_P(SuspendedProgram, WhatItWasStoppedForIsNoTimeOfTheRun) {
  std::ofstream(folder_.path() / "cases.txt") << small_cases;
  constexpr std::chrono::seconds pause(3);
  bool stopped = false;
  const auto begin = std::chrono::steady_clock::now();
  const ProgramRun run =
      autotune({"--backend", "kokkos", "--cases", (folder_.path() / "cases.txt").string(),
                "--budget", "20", "--db", folder_.path().string()},
               {}, [&](int process, const std::string& out) {
                 if (stopped || !contains(out, "\nsmall_a ")) return;
                 stopped = true;
                 kill(process, GetParam());
                 std::this_thread::sleep_for(pause);
                 kill(process, SIGCONT);
               });
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_TRUE(stopped) << run.out;
  constexpr std::chrono::duration<double> noticed_after = SuspensionWatch::Pace().longest_gap;
  constexpr double rounding = 0.05;  // It is printed in tenths of a second.
  EXPECT_LE(seconds_spent(run),
            whole.count() - std::chrono::duration<double>(pause - noticed_after).count() + rounding)
      << run.out;
}

INSTANTIATE_TEST_SUITE_P(Signals, SuspendedProgram, ::testing::Values(SIGTSTP, SIGSTOP));

// As batch systems do it: the first signal asks, and the system discards it in a session without a
// shell; the second does not ask.
TEST_F(Program, ABudgetDoesNotEndWhileTheJobIsSuspended) {
  std::ofstream(folder_.path() / "cases.txt") << small_cases;
  constexpr std::chrono::seconds budget(6);
  bool stopped = false;
  const ProgramRun run = autotune(
      {"--backend", "kokkos", "--cases", (folder_.path() / "cases.txt").string(), "--budget",
       std::to_string(budget.count()) + "s", "--db", folder_.path().string()},
      {},
      [&](int process, const std::string& out) {
        if (stopped || !contains(out, "\nsmall_a ")) return;
        stopped = true;
        std::vector<pid_t> all = children_of(process);
        all.insert(all.begin(), process);
        for (const int signal : {SIGTSTP, SIGSTOP}) {
          for (const pid_t one : all) kill(one, signal);
        }
        std::this_thread::sleep_for(budget + std::chrono::seconds(1));
        for (const pid_t one : all) kill(one, SIGCONT);
      },
      test::Session::its_own);
  EXPECT_TRUE(stopped) << run.out;
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "\nsmall_e ")) << run.out;
}

class StoppedProgram : public Program, public ::testing::WithParamInterface<int> {};

TEST_P(StoppedProgram, KeepsTheWinnersFound) {
  std::ofstream(folder_.path() / "cases.txt")
      << "- {name: quick, op: group_norm, n: 1, c: 4, spatial: [8], groups: 2, dtype: f32, layout: "
         "nchw}\n"
         "- {name: long, op: group_norm, n: 64, c: 64, spatial: [64, 64], groups: 2, dtype: f32, "
         "layout: nchw}\n";
  bool stopped = false;
  const ProgramRun run =
      autotune({"--backend", "kokkos", "--cases", (folder_.path() / "cases.txt").string(), "--db",
                folder_.path().string(), "--budget", "1h"},
               {}, [&](int process, const std::string& out) {
                 if (stopped || !contains(out, "quick ")) return;
                 stopped = true;
                 kill(process, GetParam());
                 if (GetParam() == SIGINT) return;
                 // As timeout(1) does, once to the program and once to its group.
                 std::this_thread::sleep_for(std::chrono::milliseconds(20));
                 kill(process, GetParam());
               });
  EXPECT_TRUE(stopped) << run.out << run.err;
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_TRUE(contains(run.err, "interrupted; the same with --resume")) << run.err;
  EXPECT_TRUE(contains(run.out, "1 tuned")) << run.out;
  const Result<ParsedTuningFile> parsed = parse_tuning_yaml(read_text(written_file()), "db");
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed.value().file.entries.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Signals, StoppedProgram, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace fastnorm::tuner
