// SPDX-License-Identifier: Apache-2.0
/// The command line of fastnorm-bench.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace fastnorm::bench {

struct Options {
  std::filesystem::path cases;          ///< Empty: the cases compiled in.
  std::vector<std::string> case_names;  ///< Empty: all.
  std::string backend;      ///< A back end's name, "all", or empty: what the machine offers.
  std::string db;           ///< Tuning database of this run; empty: the user's.
  std::size_t configs = 0;  ///< Of each strategy, beside its default.
  std::vector<std::string> passed_on;  ///< Google Benchmark's own flags.
};

/// The options, or the exit status where there is nothing to run (help, or a usage error: printed).
std::variant<Options, int> parse_options(int argc, char** argv);

}  // namespace fastnorm::bench
