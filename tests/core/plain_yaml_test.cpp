// SPDX-License-Identifier: Apache-2.0
#include "core/plain_yaml.hpp"

#include "core/general_yaml.hpp"
#include "core/tuning_samples.hpp"
#include "core/tuning_store.hpp"
#include "core/tuning_yaml.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace fastnorm {
namespace {

/// Everything that a reader of the tree may see.
std::string spelt_out(const YamlNode& node) {
  std::string text = std::to_string(static_cast<int>(node.kind)) + "@" + std::to_string(node.line);
  if (node.name_line != 0) {
    text += " " + std::string(node.name) + "@" + std::to_string(node.name_line);
  }
  text += "<" + std::string(node.text) + ">(";
  for (const YamlNode& child : node.children()) text += spelt_out(child) + ",";
  return text + ")";
}

std::string by_the_library(const std::string& text) {
  const Result<YamlTree> tree = parse_general_yaml(text, "text");
  return tree.ok() ? spelt_out(tree.value().root()) : tree.status().message();
}

/// Whether the text is plain; where it is, its tree must be the library's.
bool is_plain(const std::string& text) {
  const std::optional<YamlTree> tree = parse_plain_yaml(text);
  if (!tree) return false;
  EXPECT_EQ(spelt_out(tree->root()), by_the_library(text)) << text;
  return true;
}

constexpr const char* some_cases =
    "# Comments\n"
    "\n"
    "- {name: a, op: group_norm, spatial: [16, 16], eps: 1e-06, note: \"x, y\"}\n"
    "  # and more of them\n"
    "- {name: b, spatial: [], fused: silu residual, source: 'CompVis/x'}\n";

std::string some_file() {
  TuningFile file = test::sample_file(test::sample_gpu());
  file.entries = {test::sample_entry(2), test::sample_entry(3)};
  return to_yaml(file);
}

TEST(PlainYaml, OurOwnFilesArePlain) {
  EXPECT_TRUE(is_plain(some_file()));
  EXPECT_TRUE(is_plain(some_cases));
  TuningFile host = test::sample_file(test::sample_host());
  host.device_name = host.device.host_cpu = "Intel(R) Xeon(R) Platinum 8480+";
  host.entries = {test::sample_entry(1)};
  EXPECT_TRUE(is_plain(to_yaml(host)));
  for (const ShippedTuningFile& shipped : shipped_tuning_files()) {
    EXPECT_TRUE(is_plain(shipped.text)) << shipped.name;
  }
}

TEST(PlainYaml, BlocksFlowsAndScalars) {
  for (const char* text :
       {"a: 1", "a: 1\n", "a: {}\nb: []\n", "a:\n  b:\n    c: 1\n  d: 2\ne: 3\n",
        "- a: 1\n  b: 2\n- c: 3\n", "a:\n  - {b: 1}\n  - [1, 2, [3, {c: 4}]]\n",
        "a:\n\n  # c\n    - x: 1\n      y: 2\n", "a:\n  b: 1   \n", "a: {b: 1,c: 2 , d: 3}   \n",
        "a: -7\nb: -.5\nc: .nan\nd: +1\n", "a: two words\nb: a-b.c/d(e)\n",
        "a: \"\"\nb: ''\nc: \"it's # {[:\"\n", "a: {b: 'x: y'}\n", "a: true\nb: yes\nc: 0x10\n",
        "a:\n      - b: 1\n"}) {
    EXPECT_TRUE(is_plain(text)) << text;
  }
}

// For the library, whether it takes them or not.
TEST(PlainYaml, EverythingElseIsNot) {
  std::vector<std::string> texts = {"",
                                    "\n",
                                    "# nothing\n",
                                    "scalar\n",
                                    "--- \na: 1\n",
                                    "a: 1\n---\nb: 2\n",
                                    "a: 1\n...\n",
                                    "%YAML 1.2\n",
                                    "a:\n",
                                    "a: \n",
                                    "a: \n  b: 1\n",
                                    "a: ~\n",
                                    "a: null\n",
                                    "null: 1\n",
                                    "a: &x 1\n",
                                    "a: *x\n",
                                    "a: !!str 1\n",
                                    "a: |\n  text\n",
                                    "a: >\n  text\n",
                                    "a: 1\n  more\n",
                                    "a: 1\n b: 2\n",
                                    "a: 1 # comment\n",
                                    "a: b: c\n",
                                    "a: b:c\n",
                                    "a: {b: 1,}\n",
                                    "a: {b}\n",
                                    "a: {b: }\n",
                                    "a: {b: 1\n",
                                    "a: {b: 1\n  , c: 2}\n",
                                    "a: [1, ]\n",
                                    "a: [b: 1]\n",
                                    "a: {b: 1} c\n",
                                    "a: \"b\" c\n",
                                    "a: \"b\\n\"\n",
                                    "a: 'it''s'\n",
                                    "a: \"b\n  c\"\n",
                                    "a:\t1\n",
                                    "\ta: 1\n",
                                    "a: 1\r\n",
                                    "\"a\": 1\n",
                                    "? a\n: 1\n",
                                    "- 1\n",
                                    "-\n  a: 1\n",
                                    "- - a: 1\n",
                                    "-  a: 1\n",
                                    "a:\n- b: 1\n",
                                    " a: 1\n",
                                    "a: 1\n- b\n",
                                    "- a: 1\nb: 2\n",
                                    "- a: 1\n   b: 2\n",
                                    "a: \xC3\xA9\n",
                                    "# \xC3\xA9\na: 1\n",
                                    std::string("a: \x01\n"),
                                    std::string("a: 1\n\0", 6),
                                    std::string(300, 'k') + ": 1\n"};
  std::string deep = "a: ";
  for (int i = 0; i < 20; ++i) deep += "[";
  texts.push_back(deep + std::string(20, ']') + "\n");
  for (const std::string& text : texts) EXPECT_FALSE(is_plain(text)) << text;
}

// The two parsers must agree on whatever one of them takes.
TEST(PlainYamlMutations, AreTheLibrarysTreeOrNone) {
  constexpr std::string_view special = "{}[]:,-?&*!|>'\"%@`#\n\t \\~=<.0a";
  std::mt19937 random(6);
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  std::size_t taken = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = round % 2 == 0 ? some_file() : std::string(some_cases);
    for (std::size_t i = below(3) + 1; i > 0; --i) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = special[below(special.size())];
          break;
        case 1:
          text.insert(at, 1 + below(2), special[below(special.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(20));
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(40)));
          break;
      }
    }
    taken += is_plain(text) ? 1 : 0;
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(taken, 2000U) << "too few for the agreement to say much";
}

}  // namespace
}  // namespace fastnorm
