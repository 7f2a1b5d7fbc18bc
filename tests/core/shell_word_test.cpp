// SPDX-License-Identifier: Apache-2.0
#include "core/shell_word.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

namespace fastnorm {
namespace {

/// What a shell makes of the word.
std::string read_by_shell(const std::string& word) {
  FILE* shell = popen(("printf %s " + word).c_str(), "r");
  if (shell == nullptr) return "no shell";
  std::array<char, 256> text{};
  const std::size_t size = std::fread(text.data(), 1, text.size(), shell);
  pclose(shell);
  return {text.data(), size};
}

TEST(ShellWord, WhatIsPlainStaysAsItIs) {
  EXPECT_EQ(shell_word("kb1_35_groupnorm"), "kb1_35_groupnorm");
  EXPECT_EQ(shell_word("../tuning-db/my.yaml"), "../tuning-db/my.yaml");
}

TEST(ShellWord, AShellReadsWhatWasMeant) {
  for (const char* text : {"c 3;ls.yaml", "it's", "'", "$(ls)", "`ls`", "a\\nb", "a\nb", "~/db",
                           "*", "\"", "\xc3\xb6", ""}) {
    EXPECT_EQ(read_by_shell(shell_word(text)), text);
  }
  EXPECT_EQ(shell_word("c 3;ls.yaml"), "'c 3;ls.yaml'");
}

}  // namespace
}  // namespace fastnorm
