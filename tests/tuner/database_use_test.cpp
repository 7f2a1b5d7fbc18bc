// SPDX-License-Identifier: Apache-2.0
// What the program says of databases, and what it makes of bad input, through the built program.
#include "core/tuning_store.hpp"
#include "core/tuning_yaml.hpp"
#include "core/yaml_tree.hpp"
#include "support/scoped_environment.hpp"
#include "support/target.hpp"
#include "support/temporary_folder.hpp"
#include "tuner/program.hpp"

#include <fastnorm/fastnorm.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace fastnorm::tuner {
namespace {

namespace fs = std::filesystem;
using test::autotune;
using test::Environment;
using test::ProgramRun;

constexpr const char* two_cases =
    "- {name: tuned, op: group_norm, n: 2, c: 8, spatial: [16, 16], groups: 4, dtype: f32, layout: "
    "nchw}\n"
    "- {name: larger, op: group_norm, n: 3, c: 8, spatial: [16, 16], groups: 4, dtype: f32, "
    "layout: nchw}\n";

class DatabaseUse : public test::TargetTest {
 protected:
  void SetUp() override {
    test::TargetTest::SetUp();
    if (IsSkipped()) return;
    write("cases.yaml", two_cases);
  }

  fs::path path(const std::string& name) const { return folder_.path() / name; }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }

  std::string read(const std::string& name) const {
    std::ifstream stream(path(name), std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(stream)), {});
  }

  /// On the host with the cases, as far as the command asks, and without the user's own database.
  ProgramRun run(std::vector<std::string> arguments) const {
    const auto has = [&arguments](const char* word) {
      return std::find(arguments.begin(), arguments.end(), word) != arguments.end();
    };
    const bool chooses = !has("show") && !has("validate");
    const bool wants_cases = chooses && !has("recheck") && !has("--cases");
    if (chooses) arguments.insert(arguments.end(), {"--backend", "kokkos"});
    if (wants_cases) arguments.insert(arguments.end(), {"--cases", path("cases.yaml").string()});
    return autotune(arguments, {{"FASTNORM_TUNING_DB", "none"}});
  }

  /// Makes db.yaml with an entry for the case `tuned` on this machine; nothing of it was measured.
  void tune() const {
    const Backend& backend = *test::target_backends().front();
    const DeviceInfo& device = *backend.device(-1).value();
    NormDesc desc;
    desc.extents = {2, 8, 16, 16};
    desc.groups = 4;
    const Problem problem = Problem::create(desc).value();
    const KernelVariant& variant = *backend.variants().front();
    TuningEntry entry;
    entry.key = TuningKey::of(problem, backend.name());
    entry.key.deterministic = variant.deterministic();
    entry.shape = TuningShape::of(problem);
    entry.strategy = variant.name();
    entry.config = variant.default_config(problem, device).fields();
    entry.stats = {5, 0.1, 30, 10, 4};
    TuningFile file;
    file.device_name = device.name;
    file.device = DeviceKey::of(device);
    file.entries = {entry};
    write("db.yaml", to_yaml(file));
  }

  /// The database with one piece of its text replaced.
  void spoil(const std::string& from, const std::string& to) const {
    std::string text = read("db.yaml");
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << "\n" << text;
    write("db.yaml", text.replace(at, from.size(), to));
  }

  test::TemporaryFolder folder_;
};

bool contains(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

std::ptrdiff_t lines_in(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

/// JSON is YAML, too.
const YamlNode* member(const YamlNode& node, const std::string& name) {
  for (const YamlNode& one : node.children()) {
    if (one.name == name) return &one;
  }
  ADD_FAILURE() << "no " << name;
  return &node;
}

TEST_F(DatabaseUse, ShowIsATableAndTheSameAsJson) {
  tune();
  const ProgramRun table = run({"show", "--db", path("db.yaml").string()});
  EXPECT_EQ(table.exit_status, 0) << table.err;
  for (const char* piece : {"back end", "speed-up", "kokkos-host", "group_norm f32", "rows",
                            "1 entry, for a device of this machine"}) {
    EXPECT_TRUE(contains(table.out, piece)) << piece << "\n" << table.out;
  }
  for (const auto& arguments : {std::vector<std::string>{"show", "--json"}, {"--json", "show"}}) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--db", path("db.yaml").string()});
    const ProgramRun json = run(all);
    EXPECT_EQ(json.exit_status, 0) << json.err;
    const Result<YamlTree> tree = parse_yaml_tree(json.out, "json");
    ASSERT_TRUE(tree.ok()) << tree.status().message();
    const YamlNode& root = tree.value().root();
    EXPECT_EQ(member(root, "user_database")->text, path("db.yaml").string());
    ASSERT_FALSE(member(root, "files")->children().empty());
    const YamlNode& file = *member(root, "files")->children().begin();
    EXPECT_EQ(member(file, "used_here")->text, "exact");
    ASSERT_EQ(member(file, "entries")->children().size(), 1U);
    const YamlNode& entry = *member(file, "entries")->children().begin();
    EXPECT_EQ(member(*member(entry, "shape"), "inner")->text, "256");
    EXPECT_EQ(member(*member(entry, "key"), "op")->text, "group_norm");
    EXPECT_FALSE(member(*member(entry, "config"), "strategy")->text.empty());
  }
}

TEST_F(DatabaseUse, ShowSaysWhereAFileIsOfOtherKernels) {
  tune();
  spoil("kernel_version: " + std::to_string(kernel_version), "kernel_version: 999");
  const ProgramRun shown = run({"show", "--db", path("db.yaml").string()});
  EXPECT_EQ(shown.exit_status, 0);
  EXPECT_TRUE(contains(shown.out, "ignored, since it is for kernel version 999")) << shown.out;
}

TEST_F(DatabaseUse, ExplainGoesThroughTheStepsInTheirOrder) {
  tune();
  const ProgramRun text = run({"explain", "larger", "--db", path("db.yaml").string()});
  EXPECT_EQ(text.exit_status, 0) << text.err;
  std::size_t at = 0;
  for (const char* piece : {"why:   bucket", "looked for, in this order:", "exact  ", "bucket  ",
                            "n=2 instead of 3", "nearest  ", "same architecture  ", "heuristic  ",
                            "not tuning it costs:", "next:", "--case larger"}) {
    at = text.out.find(piece, at);
    ASSERT_NE(at, std::string::npos) << piece << "\n" << text.out;
  }
  const ProgramRun json = run({"explain", "larger", "--json", "--db", path("db.yaml").string()});
  const Result<YamlTree> tree = parse_yaml_tree(json.out, "json");
  ASSERT_TRUE(tree.ok()) << tree.status().message();
  const YamlNode& explained = *tree.value().root().children().begin();
  EXPECT_EQ(member(explained, "case")->text, "larger");
  EXPECT_EQ(member(explained, "origin")->text, "bucket");
  EXPECT_EQ(member(explained, "steps")->children().size(), 5U);
  EXPECT_FALSE(member(*member(explained, "cost_of_not_tuning"), "words")->text.empty());
}

TEST_F(DatabaseUse, AShapeIsExplainedAsACaseIs) {
  tune();
  const std::string db = path("db.yaml").string();
  const auto explain = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"explain", "--backend", "kokkos", "--db", db});
    return autotune(arguments, {{"FASTNORM_TUNING_DB", "none"}});
  };
  const ProgramRun tuned = explain({"--shape", "2x8x16x16", "--groups", "4"});
  EXPECT_EQ(tuned.exit_status, 0) << tuned.err;
  EXPECT_TRUE(contains(tuned.out, "group_norm_2x8x16x16_g4: group_norm 2x8x16x16")) << tuned.out;
  EXPECT_TRUE(contains(tuned.out, "why:   exact")) << tuned.out;

  const ProgramRun larger = explain({"--shape", "3x8x16x16", "--groups", "4"});
  EXPECT_TRUE(contains(larger.out, "why:   bucket")) << larger.out;
  EXPECT_TRUE(contains(larger.out, "not tuning it costs: ")) << larger.out;
  EXPECT_TRUE(contains(
      larger.out, "\"autotune --backend kokkos --db " + db + " --shape 3x8x16x16 --groups 4\""))
      << larger.out;
  const ProgramRun half = explain({"--op", "rms_norm", "--dtype", "f16", "--shape", "5x64"});
  EXPECT_TRUE(contains(half.out, "--op rms_norm --dtype f16 --shape 5x64\""))
      << half.out << half.err;

  EXPECT_EQ(explain({"tuned", "--shape", "2x8x16x16", "--groups", "4"}).exit_status, 2);
  const ProgramRun indivisible = explain({"--shape", "2x8x16x16", "--groups", "3"});
  EXPECT_EQ(indivisible.exit_status, 2);
  EXPECT_EQ(lines_in(indivisible.err), 1) << indivisible.err;
}

TEST_F(DatabaseUse, AProgramIsToldTheDigestOfTheCommand) {
  std::vector<NormDesc> shapes(2);
  shapes[0].extents = {3, 8, 16, 16};
  shapes[1].extents = {2, 8, 16, 16};
  for (NormDesc& desc : shapes) desc.groups = 4;
  PlanOptions options;
  options.memory = MemorySpace::host;
  const test::ScopedEnvironment no_database("FASTNORM_TUNING_DB", "none");
  forget_tuning_db();
  for (const char* force : {"", "kokkos:split_rows"}) {
    const ProgramRun command =
        autotune({"digest", "--backend", "kokkos", "--cases", path("cases.yaml").string()},
                 {{"FASTNORM_TUNING_DB", "none"}, {"FASTNORM_FORCE", force}});
    const test::ScopedEnvironment forced("FASTNORM_FORCE", force);
    const Result<std::string> digest = selection_digest(shapes, options);
    ASSERT_TRUE(digest.ok()) << digest.status().message();
    EXPECT_EQ(command.out.substr(0, 64), digest.value()) << force;
  }
}

TEST_F(DatabaseUse, ADigestIsThatOfItsLines) {
  const ProgramRun digest = run({"digest"});
  EXPECT_EQ(digest.exit_status, 0) << digest.err;
  EXPECT_EQ(digest.out.find("  2 choices\n"), 64U) << digest.out;
  EXPECT_EQ(run({"digest"}).out, digest.out) << "another process, the same choices";
  const ProgramRun lines = run({"digest", "--lines"});
  EXPECT_EQ(lines_in(lines.out), 3) << lines.out;
  write("lines", lines.out);
  FILE* sum = popen(("sha256sum < " + path("lines").string()).c_str(), "r");
  ASSERT_NE(sum, nullptr);
  char computed[65] = {};
  EXPECT_NE(std::fgets(computed, sizeof computed, sum), nullptr);
  pclose(sum);
  EXPECT_EQ(digest.out.substr(0, 64), computed);
  EXPECT_TRUE(contains(run({"digest", "--json"}).out, digest.out.substr(0, 64)));
  EXPECT_EQ(run({"digest", "--json", "--lines"}).exit_status, 2);
}

TEST_F(DatabaseUse, ADigestSaysWhyACaseIsNotInIt) {
  const std::string whole = run({"digest"}).out;
  const auto left_out = [](int number) {
    return "- {name: left_" + std::to_string(number) +
           ", op: batch_norm, n: 2, c: 8, spatial: [], groups: 0, dtype: f32, layout: nchw}\n";
  };
  write("cases.yaml", two_cases + left_out(1) + left_out(2));
  EXPECT_EQ(run({"digest"}).out,
            whole + "2 left out, op batch_norm is not offered yet: left_1, left_2\n");
  const std::string json = run({"digest", "--json"}).out;
  const Result<YamlTree> tree = parse_yaml_tree(json, "json");
  ASSERT_TRUE(tree.ok()) << tree.status().message();
  const YamlNode& root = tree.value().root();
  EXPECT_EQ(member(root, "cases_not_offered")->text, "2");
  const YamlNode& first = *member(root, "left_out")->children().begin();
  EXPECT_EQ(member(first, "case")->text, "left_1");
  EXPECT_EQ(member(first, "reason")->text, "op batch_norm is not offered yet");
}

TEST_F(DatabaseUse, ADigestIsOfTheChoiceAlone) {
  const std::string before = run({"digest"}).out;
  write("renamed.yaml",
        "- {name: b, op: group_norm, n: 3, c: 8, spatial: [16, 16], groups: 4, dtype: f32, layout: "
        "nchw}\n"
        "- {name: a, op: group_norm, n: 2, c: 8, spatial: [16, 16], groups: 4, dtype: f32, layout: "
        "nchw, note: the same}\n");
  EXPECT_EQ(run({"digest", "--cases", path("renamed.yaml").string()}).out, before);
  const ProgramRun forced =
      autotune({"digest", "--backend", "kokkos", "--cases", path("cases.yaml").string()},
               {{"FASTNORM_TUNING_DB", "none"}, {"FASTNORM_FORCE", "kokkos:split_rows"}});
  EXPECT_EQ(forced.exit_status, 0) << forced.err;
  EXPECT_NE(forced.out, before);
}

// The whole way: a program records, the tuner tunes, the library then has an entry.
TEST_F(DatabaseUse, WhatAProgramRecordsCanBeTuned) {
  const std::string record = path("shapes.yaml").string();
  const pid_t child = fork();
  if (child == 0) {
    setenv("FASTNORM_RECORD", record.c_str(), 1);
    setenv("FASTNORM_TUNING_DB", "none", 1);
    const std::vector<float> x(2 * 6 * 20, 1.0F);
    std::vector<float> y(x.size());
    NormOptions options;
    options.plan.memory = MemorySpace::host;
    options.epilogue.activation = Activation::gelu_tanh;
    const bool called =
        group_norm({2, 6, 4, 5}, 3, x.data(), y.data(), nullptr, nullptr, options).ok() &&
        layer_norm({12, 20}, 1, x.data(), y.data(), nullptr, nullptr, options).ok();
    std::exit(called ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const std::string db = path("db.yaml").string();
  const ProgramRun tuned = run({"--cases", record, "--db", db, "--budget", "6"});
  EXPECT_EQ(tuned.exit_status, 0) << tuned.err;
  EXPECT_TRUE(contains(tuned.out, "2 tuned")) << tuned.out;
  for (const char* name :
       {"group_norm_2x6x4x5_g3_f32_nchw_gelu_tanh", "layer_norm_12x20_f32_rows_gelu_tanh"}) {
    const ProgramRun explained = run({"explain", name, "--cases", record, "--db", db});
    EXPECT_TRUE(contains(explained.out, "why:   exact")) << explained.out << explained.err;
  }
}

TEST_F(DatabaseUse, CommandsThatAreProposedAreForAShell) {
  write("c 3;ls.yaml", two_cases);
  fs::create_directory(path("it's"));
  const std::string cases = path("c 3;ls.yaml").string();
  const std::string folder = folder_.path().string();
  const ProgramRun explained =
      run({"explain", "larger", "--cases", cases, "--db", path("it's").string()});
  EXPECT_TRUE(contains(explained.out, " --db '" + folder + "/it'\\''s' --cases '" + folder +
                                          "/c 3;ls.yaml' --case larger\" tunes it here"))
      << explained.out << explained.err;
  const ProgramRun nothing = run({"recheck", "--db", path("it's").string()});
  EXPECT_TRUE(contains(nothing.err, "\"autotune show --db '" + folder + "/it'\\''s'\" lists"))
      << nothing.err;
}

TEST_F(DatabaseUse, TheToolItselfRecordsNothing) {
  const ProgramRun digest =
      autotune({"digest", "--backend", "kokkos", "--cases", path("cases.yaml").string()},
               {{"FASTNORM_TUNING_DB", "none"}, {"FASTNORM_RECORD", path("shapes.yaml").string()}});
  EXPECT_EQ(digest.exit_status, 0) << digest.err;
  EXPECT_FALSE(fs::exists(path("shapes.yaml")));
}

TEST_F(DatabaseUse, BadCasesFilesAreOneLineAndStatus1) {
  const struct {
    const char* text;
    const char* said;
  } bad[] = {
      {"", ":1: empty"},
      {"schema: 1\n", ":1: the cases are a mapping; they must be a list of mappings"},
      {"[]\n", ":1: the cases are an empty list"},
      {"- {name: a, op: group_norm, op: layer_norm}\n", ":1: case a has \"op\" twice"},
      {"- {name: a\n", ":1: not valid YAML: a key must be a scalar, and every bracket closed"},
      {"- {name: a, op: fish_norm}\n", ":1: case a: op is \"fish_norm\"; it must be one of"},
      {"- &x {name: a}\n- *x\n", ":2: not valid YAML: aliases are not allowed"},
      {"\xFF\xFE", ":1: not UTF-8 text"},
      {"- 3\n", ":1: case 1 is \"3\"; it must be a mapping"},
  };
  for (const auto& [text, said] : bad) {
    write("cases.yaml", text);
    for (const auto& command : {std::vector<std::string>{"run", "--db", path("db").string()},
                                {"explain", "a"},
                                {"digest"}}) {
      const ProgramRun failed = run(command);
      EXPECT_EQ(failed.exit_status, 1) << command[0] << ": " << text;
      EXPECT_EQ(lines_in(failed.err), 1) << failed.err;
      EXPECT_EQ(failed.out, "");
      EXPECT_TRUE(contains(failed.err, "autotune: " + path("cases.yaml").string() + said))
          << failed.err;
    }
  }
  const ProgramRun absent = run({"digest", "--cases", path("absent.yaml").string()});
  EXPECT_EQ(absent.exit_status, 1);
  EXPECT_TRUE(contains(absent.err, "absent.yaml: there is no such file of cases")) << absent.err;
}

TEST_F(DatabaseUse, UnknownCasesAreStatus2AndUnknownGpusStatus1) {
  for (const auto& command :
       {std::vector<std::string>{"explain", "tuuned"}, {"digest", "--case", "tuuned"}}) {
    const ProgramRun failed = run(command);
    EXPECT_EQ(failed.exit_status, 2);
    EXPECT_EQ(lines_in(failed.err), 1) << failed.err;
    EXPECT_TRUE(contains(failed.err, "the nearest names are tuned")) << failed.err;
  }
  for (const auto& command : {std::vector<std::string>{"explain", "tuned"}, {"digest"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--gpu", "X999"});
    const ProgramRun failed = run(arguments);
    EXPECT_EQ(failed.exit_status, 1);
    EXPECT_EQ(lines_in(failed.err), 1) << failed.err;
    EXPECT_TRUE(contains(failed.err, "--gpu X999")) << failed.err;
  }
}

TEST_F(DatabaseUse, ReadingADatabaseThatIsNotThereIsStatus1) {
  for (const auto& command :
       {std::vector<std::string>{"show"}, {"explain", "tuned"}, {"digest"}, {"recheck"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--db", path("absent.yaml").string()});
    const ProgramRun failed = run(arguments);
    EXPECT_EQ(failed.exit_status, 1);
    EXPECT_EQ(lines_in(failed.err), 1) << failed.err;
    EXPECT_TRUE(contains(failed.err, "absent.yaml: there is no such file or folder")) << failed.err;
  }
}

// What the library does with such files, the commands that read do, too: they go on without.
TEST_F(DatabaseUse, BadDatabasesCostOneWarningAndWhatIsBad) {
  tune();
  const std::string good = read("db.yaml");
  const std::string db = path("db.yaml").string();
  const auto warned = [&](const std::string& said) {
    for (const auto& command :
         {std::vector<std::string>{"show"}, {"explain", "tuned"}, {"digest"}}) {
      std::vector<std::string> arguments = command;
      arguments.insert(arguments.end(), {"--db", db});
      const ProgramRun warned = run(arguments);
      EXPECT_EQ(warned.exit_status, 0) << warned.err;
      EXPECT_EQ(lines_in(warned.err), 1) << warned.err;
      EXPECT_TRUE(contains(warned.err, "fastnorm: warning: " + db + said)) << warned.err;
    }
    const ProgramRun validated = run({"validate", db});
    EXPECT_EQ(validated.exit_status, 1);
    EXPECT_TRUE(contains(validated.out + validated.err, db + said))
        << validated.out << validated.err;
  };
  spoil("config: {", "config: {strategy: x, ");
  warned(":8: entry 1: config has \"strategy\" twice");
  write("db.yaml", good + good.substr(good.find("  - key")));
  warned(":10: entry 2: key and shape are those of an earlier entry");
  write("db.yaml", "schema: 1\n" + good);
  warned(":2: file has \"schema\" twice");
  write("db.yaml", good.substr(0, good.size() / 2));
  warned(":");
  write("db.yaml", std::string("\0\1\2", 3));
  warned(":1: not UTF-8 text");
}

// F18, where the file is well formed and its entry is not for this build or chip.
TEST_F(DatabaseUse, ForeignEntriesAreExplained) {
  tune();
  const std::string good = read("db.yaml");
  const auto explained = [&] {
    const ProgramRun run_of = run({"explain", "tuned", "--db", path("db.yaml").string()});
    EXPECT_EQ(run_of.exit_status, 0) << run_of.err;
    EXPECT_EQ(run_of.err, "");
    return run_of.out;
  };
  spoil("strategy: ", "strategy: v9_");
  EXPECT_TRUE(contains(explained(), "not usable: ")) << explained();
  EXPECT_TRUE(contains(explained(), "strategy \"v9_rows\" is unknown")) << explained();
  write("db.yaml", good);
  spoil("cpu: ", "cpu: Another ");
  EXPECT_TRUE(contains(explained(), "nothing has been tuned on this device")) << explained();
}

TEST_F(DatabaseUse, ADatabaseThatCannotBeWrittenIsOneLineAndStatus1) {
  tune();
  const std::string before = read("db.yaml");
  const auto refused = [&](const fs::path& db, const std::string& named, const std::string& said) {
    const ProgramRun failed = run({"--case", "larger", "--budget", "3", "--db", db.string()});
    EXPECT_EQ(failed.exit_status, 1) << db;
    EXPECT_EQ(lines_in(failed.err), 1) << failed.err;
    EXPECT_TRUE(contains(failed.err, "cannot " + named)) << failed.err;
    EXPECT_TRUE(contains(failed.err, ": " + said)) << failed.err;
    EXPECT_FALSE(contains(failed.out, "larger")) << "found out before anything is measured";
  };
  refused(path("cases.yaml") / "db.yaml", "create the folder " + path("cases.yaml").string() + ":",
          "Not a directory");
  fs::create_directory(path("folder.yaml"));
  refused(path("folder.yaml"), "read " + path("folder.yaml").string(), "not a regular file");
  // Root may write anywhere: as somebody else, then.
  fs::permissions(folder_.path(), fs::perms(0555));
  constexpr int cannot_try = 77;
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(cannot_try);
    if (access(AUTOTUNE_PROGRAM, X_OK) != 0) _exit(cannot_try);
    refused(path("new"), "create the folder " + path("new").string() + ":", "Permission denied");
    refused(path("db.yaml"), "create " + path("db.yaml").string(), "Permission denied");
    _exit(HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  fs::permissions(folder_.path(), fs::perms::owner_all);
  EXPECT_EQ(read("db.yaml"), before);
  if (WEXITSTATUS(status) == cannot_try) GTEST_SKIP() << "no other user can run the program";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace fastnorm::tuner
