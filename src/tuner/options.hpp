// SPDX-License-Identifier: Apache-2.0
/// What the user asked for.
#pragma once

#include "tuner/budget.hpp"
#include "tuner/device_choice.hpp"
#include "tuner/journal.hpp"
#include "tuner/search_method.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fastnorm::tuner {

enum class Command { run, show, explain, digest, validate, merge, recheck };

/// As it is typed.
constexpr const char* to_string(Command command) {
  switch (command) {
    case Command::run:
      return "run";
    case Command::show:
      return "show";
    case Command::explain:
      return "explain";
    case Command::digest:
      return "digest";
    case Command::validate:
      return "validate";
    case Command::merge:
      return "merge";
    case Command::recheck:
      return "recheck";
  }
  return "";
}

/// How the commands that only read print what they have to say.
enum class OutputFormat {
  text,   ///< For people.
  json,   ///< For programs.
  lines,  ///< digest: what the digest is of.
};

struct Options {
  Command command = Command::run;

  /// Where to tune.
  std::string gpu;       ///< The device expected; empty: any.
  bool any_gpu = false;  ///< Go on where it is another.
  std::string
      backend;  ///< "cuda", "kokkos", "all"; empty: cuda where there is a device, else kokkos.
  DeviceChoice devices;

  /// What to tune: a shape, or cases.
  std::vector<std::string> case_names;  ///< Empty: all.
  std::string cases_file;               ///< Empty: the shipped ones.
  std::string op;                       ///< Of the shape; else selects among the cases.
  std::string dtype;                    ///< Likewise.
  std::vector<std::int64_t> shape;      ///< N, C, spatial...
  std::int64_t groups = 0;              ///< Of the shape; 0: not given.

  Budget budget;
  std::string db;  ///< A folder, a file or no_user_database; empty: the user's database.
  SearchMethod search = SearchMethod::guided;
  Proposals proposals = Proposals::database;
  std::uint64_t seed = 1;
  std::string record;  ///< File that gets the run's measurements; empty: none.
  OutputFormat format = OutputFormat::text;
  Journal::Start start = Journal::Start::anew;

  std::string explained_case;  ///< Empty: the shape.
  std::string validated_file;
  std::vector<std::string> merged;  ///< Databases.
  std::string output;               ///< Of the merger.
};

}  // namespace fastnorm::tuner
