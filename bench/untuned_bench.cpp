// SPDX-License-Identifier: Apache-2.0
/// fastnorm-bench-untuned: what shapes lose that nobody has tuned. Each shape of a database is left
/// out of it in turn; what the rest, or the heuristic, then chooses for it is timed side by side
/// with its own winner. Prints JSON.
#include "side_by_side.hpp"
#include "tuner/entry_job.hpp"
#include "tuner/search_space.hpp"
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

constexpr const char* program = "fastnorm-bench-untuned";

/// The files without the entries for that shape, which may be two: a deterministic one, too.
TuningDb without(std::vector<TuningFile> files, const TuningEntry& left_out) {
  TuningKey key = left_out.key;
  const auto is_of_shape = [&](const TuningEntry& entry) {
    key.deterministic = entry.key.deterministic;
    return entry.shape == left_out.shape && entry.key == key;
  };
  for (TuningFile& file : files) {
    file.entries.erase(std::remove_if(file.entries.begin(), file.entries.end(), is_of_shape),
                       file.entries.end());
  }
  return TuningDb(std::move(files));
}

Result<Pair> pair_of(const TuningEntry& entry, const std::vector<TuningFile>& files,
                     const Candidate& target) {
  const Result<tuner::Job> job = tuner::job_of(entry);
  if (!job.ok()) return job.status();
  PlanOptions options;
  options.deterministic = entry.key.deterministic;
  const TuningDb rest = without(files, entry);
  const Result<Selection> chosen = choose(job.value().problem, {target}, rest, options);
  if (!chosen.ok()) return chosen.status();
  const tuner::Contender contender{chosen.value().variant, chosen.value().config};
  return Pair{entry, contender.text(), text_of(entry)};
}

int fail(const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", program, why.c_str());
  return 1;
}

int run(int argc, char** argv) {
  constexpr int usage_error = 2;
  std::filesystem::path database;
  CLI::App app("Times what shapes would run that are not in a database beside their winners.");
  app.add_option("DATABASE", database, "A .yaml file or a folder")
      ->required()
      ->check(CLI::ExistingPath);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage_error;
  }
  tuner::JsonWriter json;
  json.begin_object();
  json.key("database").text(database.string());
  SideBySide comparison(program, json);
  int unusable = 0;
  for (const Candidate& target : tuner::usable_targets()) {
    const std::vector<TuningFile> files = files_for(database, target);
    std::vector<Pair> pairs;
    for (const TuningFile& file : files) {
      for (const TuningEntry& entry : file.entries) {
        Result<Pair> pair = pair_of(entry, files, target);
        if (pair.ok()) {
          pairs.push_back(std::move(pair).value());
        } else {
          std::fprintf(stderr, "%s: %s: %s\n", program, tuner::title(entry).c_str(),
                       pair.status().message().c_str());
          ++unusable;
        }
      }
    }
    const Status status = comparison.run(target, pairs);
    if (!status.ok()) return fail(status.message());
  }
  if (comparison.empty()) return fail("the database has no shape of this device");
  comparison.conclude();
  json.end();
  std::fputs(std::move(json).take().c_str(), stdout);
  return comparison.failed() == 0 && unusable == 0 ? 0 : 1;
}

}  // namespace
}  // namespace fastnorm::bench

int main(int argc, char** argv) { return fastnorm::bench::run(argc, argv); }
