// SPDX-License-Identifier: Apache-2.0
#include "core/case_file.hpp"

#include "core/yaml_tree.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
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
using test::TemporaryFolder;

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(stream)), {});
}

CaseText some_case(const std::string& name) { return {name, "{name: " + name + ", n: 1}"}; }

/// The names in a file, which is a list of mappings.
std::multiset<std::string> names_in(const fs::path& path) {
  std::multiset<std::string> names;
  const std::string text = read_text(path);
  const Result<YamlTree> tree = parse_yaml_tree(text, path.string());
  EXPECT_TRUE(tree.ok()) << tree.status().message();
  if (!tree.ok()) return names;
  for (const YamlNode& one : tree.value().root().children()) {
    EXPECT_EQ(one.kind, YamlNode::Kind::map);
    if (!one.children().empty()) names.emplace((*one.children().begin()).text);
  }
  return names;
}

TEST(CaseFile, IsMadeWithItsFolder) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a" / "b" / "shapes.yaml";
  const Status status = add_to_case_file(path, {some_case("x"), some_case("y")});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(names_in(path), (std::multiset<std::string>{"x", "y"}));
  EXPECT_EQ(read_text(path).front(), '#') << "says what it is";
}

TEST(CaseFile, WhatIsThereStaysToTheLetter) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "shapes.yaml";
  const std::string before =
      "# mine\n\n-   {name:  x,  n: 3}   # by hand\n- name: z\n  n: 4\n- {n: 5}";
  std::ofstream(path) << before;
  ASSERT_TRUE(add_to_case_file(path, {some_case("x"), some_case("y")}).ok());
  EXPECT_EQ(read_text(path), before + "\n- {name: y, n: 1}\n");
  ASSERT_TRUE(add_to_case_file(path, {some_case("y"), some_case("z")}).ok());
  EXPECT_EQ(read_text(path), before + "\n- {name: y, n: 1}\n");
}

TEST(CaseFile, AnEmptyFileIsNone) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "shapes.yaml";
  std::ofstream(path).close();
  ASSERT_TRUE(add_to_case_file(path, {some_case("x")}).ok());
  EXPECT_EQ(names_in(path), (std::multiset<std::string>{"x"}));
}

TEST(CaseFile, ALinkStaysOne) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "link.yaml";
  std::ofstream(folder.path() / "real.yaml").close();
  fs::create_symlink("real.yaml", path);
  ASSERT_TRUE(add_to_case_file(path, {some_case("x")}).ok());
  EXPECT_TRUE(fs::is_symlink(path));
  EXPECT_EQ(names_in(folder.path() / "real.yaml").size(), 1U);
}

TEST(CaseFile, WhatIsNoListOfCasesIsLeftAlone) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "shapes.yaml";
  for (const char* text : {"schema: 1\n", "notes\n", "[{name: x}]\n", "  - {name: x}\n",
                           "- {name: x}\n---\n- {name: y}\n", "- {name: x\n", "- {name: x}\n...\n",
                           "- \xFF\n", "- |\n  text\n  - more"}) {
    std::ofstream(path, std::ios::binary) << text;
    const Status status = add_to_case_file(path, {some_case("z")});
    EXPECT_EQ(status.code(), StatusCode::invalid_argument) << text;
    EXPECT_NE(status.message().find("shapes.yaml"), std::string::npos) << status.message();
    EXPECT_EQ(read_text(path), text);
  }
}

TEST(CaseFile, PathsThatCannotBeWrittenAreNamed) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  fs::create_directory(folder.path() / "folder.yaml");
  const struct {
    fs::path path;
    std::string named;
  } refused[] = {
      {folder.path() / "file" / "shapes.yaml", (folder.path() / "file").string()},
      {folder.path() / "folder.yaml", (folder.path() / "folder.yaml").string()},
      {"/proc/no/shapes.yaml", "/proc/no"},
  };
  for (const auto& [path, named] : refused) {
    const Status status = add_to_case_file(path, {some_case("x")});
    EXPECT_EQ(status.code(), StatusCode::unavailable) << path;
    EXPECT_NE(status.message().find(" " + named + ": "), std::string::npos) << status.message();
  }
}

TEST(CaseFile, AFullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "shapes.yaml";
  ASSERT_TRUE(add_to_case_file(path, {some_case("x")}).ok());
  const std::string before = read_text(path);
  const pid_t child = fork();
  if (child == 0) {
    // The closest to a full disk that a test can have.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{20, 20};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
    _exit(add_to_case_file(path, {some_case("y")}).code() == StatusCode::unavailable ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_text(path), before);
  EXPECT_TRUE(add_to_case_file(path, {some_case("y")}).ok());
}

TEST(CaseFile, DoesNotGrowBeyondWhatTheToolsRead) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "shapes.yaml";
  const std::string before = "- {name: x}\n# " + std::string(max_case_file_bytes - 20, 'x') + "\n";
  std::ofstream(path) << before;
  EXPECT_EQ(add_to_case_file(path, {some_case("y")}).code(), StatusCode::invalid_argument);
  EXPECT_TRUE(read_text(path) == before);
}

TEST(CaseFile, ProcessesLoseNoneOfEachOthersCases) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "shapes.yaml";
  constexpr int processes = 4;
  constexpr int rounds = 25;
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    for (int round = 0; round < rounds; ++round) {
      const std::string own = std::to_string(process) + "_" + std::to_string(round);
      const std::string common = "c_" + std::to_string(round);
      if (!add_to_case_file(path, {some_case(own), some_case(common)}).ok()) _exit(1);
    }
    _exit(0);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const std::multiset<std::string> names = names_in(path);
  EXPECT_EQ(names.size(), static_cast<std::size_t>((processes + 1) * rounds));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(CaseFile, AKillAtAnyMomentLeavesAWholeFile) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "shapes.yaml";
  ASSERT_TRUE(add_to_case_file(path, {some_case("first")}).ok());
  std::mt19937 random(7);
  std::size_t cases = 1;
  for (int round = 0; round < 40; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0;; ++i) {
        const std::string name = std::to_string(round) + "_" + std::to_string(i);
        if (!add_to_case_file(path, {some_case(name)}).ok()) _exit(1);
      }
    }
    const auto pause = std::uniform_int_distribution<int>(0, 20000)(random);
    std::this_thread::sleep_for(std::chrono::microseconds(pause));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const std::size_t now = names_in(path).size();
    ASSERT_GE(now, cases);
    cases = now;
  }
  EXPECT_GT(cases, 1U) << "the children must get to write";
}

}  // namespace
}  // namespace fastnorm
