// SPDX-License-Identifier: Apache-2.0
/// fastnorm-bench-winners: two databases' winners, side by side on this device, for each shape that
/// both have an entry for. Prints JSON.
#include "side_by_side.hpp"
#include "tuner/targets.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::bench {
namespace {

constexpr const char* program = "fastnorm-bench-winners";

std::vector<Pair> pairs_of(const std::vector<TuningFile>& first,
                           const std::vector<TuningFile>& second) {
  std::vector<Pair> pairs;
  for (const TuningFile& ones : first) {
    for (const TuningEntry& one : ones.entries) {
      for (const TuningFile& others : second) {
        const auto other = std::find_if(others.entries.begin(), others.entries.end(),
                                        [&](const TuningEntry& entry) {
                                          return entry.shape == one.shape && entry.key == one.key;
                                        });
        if (other != others.entries.end()) pairs.push_back({one, text_of(one), text_of(*other)});
      }
    }
  }
  return pairs;
}

int fail(const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", program, why.c_str());
  return 1;
}

int run(int argc, char** argv) {
  constexpr int usage_error = 2;
  std::filesystem::path first;
  std::filesystem::path second;
  CLI::App app("Times the winners of two tuning databases side by side.");
  app.add_option("FIRST", first, "A database: a .yaml file or a folder")
      ->required()
      ->check(CLI::ExistingPath);
  app.add_option("SECOND", second, "Another")->required()->check(CLI::ExistingPath);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage_error;
  }
  tuner::JsonWriter json;
  json.begin_object();
  json.key("first").text(first.string());
  json.key("second").text(second.string());
  SideBySide comparison(program, json);
  for (const Candidate& target : tuner::usable_targets()) {
    const Status status =
        comparison.run(target, pairs_of(files_for(first, target), files_for(second, target)));
    if (!status.ok()) return fail(status.message());
  }
  if (comparison.empty()) return fail("the databases have no shape of this device in common");
  comparison.conclude();
  json.end();
  std::fputs(std::move(json).take().c_str(), stdout);
  return comparison.failed() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace fastnorm::bench

int main(int argc, char** argv) { return fastnorm::bench::run(argc, argv); }
