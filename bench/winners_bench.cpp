/// fastnorm-bench-winners: two databases' winners, side by side on this device.
///
/// Each shape that both databases have an entry for is loaded once, and the two configurations are
/// verified and then timed by turns, each round in another random order, so that a drift of the
/// clock meets both. Prints JSON.
#include "core/tuning_store.hpp"
#include "measure/workbench.hpp"
#include "statistics.hpp"
#include "tuner/entry_job.hpp"
#include "tuner/json_writer.hpp"
#include "tuner/targets.hpp"
#include "tuner/workbench_evaluator.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::bench {
namespace {

using tuner::Contender;

constexpr std::uint64_t seed = 1;
constexpr int rounds = 15;
constexpr measure::SampleLimits samples_a_round{3, 3, 0};

/// Of one shape, from either database.
struct Pair {
  TuningEntry first;
  TuningEntry second;
};

/// The entries for the back end that were measured on this device, or one like it.
std::vector<TuningEntry> entries_of(const std::filesystem::path& database,
                                    const Candidate& target) {
  std::vector<TuningEntry> entries;
  for (TuningFile& file : read_tuning_path(database)) {
    if (match(file.device, DeviceKey::of(*target.device)) != DeviceMatch::exact) continue;
    for (TuningEntry& entry : file.entries) {
      if (entry.key.backend == target.backend->name()) entries.push_back(std::move(entry));
    }
  }
  return entries;
}

std::vector<Pair> pairs_of(const std::vector<TuningEntry>& first,
                           const std::vector<TuningEntry>& second) {
  std::vector<Pair> pairs;
  for (const TuningEntry& one : first) {
    const auto other = std::find_if(second.begin(), second.end(), [&](const TuningEntry& entry) {
      return entry.shape == one.shape && entry.key == one.key;
    });
    if (other != second.end()) pairs.push_back({one, *other});
  }
  return pairs;
}

std::string text_of(const TuningEntry& entry) {
  return entry.strategy + " " + to_string(entry.config);
}

/// Medians, in the pair's order.
Result<std::array<double, 2>> time_both(const Pair& pair, const Candidate& target,
                                        measure::Workbench& workbench) {
  const Result<tuner::Job> job = tuner::job_of(pair.first);
  if (!job.ok()) return job.status();
  const Problem& problem = job.value().problem;
  Status status = workbench.load(problem.desc(), job.value().workload.affine, seed);
  if (!status.ok()) return status;
  tuner::WorkbenchEvaluator evaluator(problem, *target.device, workbench);
  std::array<Contender, 2> contenders;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    Result<Contender> contender =
        Contender::parse(text_of(i == 0 ? pair.first : pair.second), *target.backend);
    if (!contender.ok()) return contender.status();
    contenders[i] = std::move(contender).value();
    status = evaluator.verify(contenders[i]);
    if (!status.ok()) return status;
  }
  std::mt19937_64 random(seed);
  std::array<std::vector<double>, 2> samples;
  for (int round = 0; round < rounds; ++round) {
    std::array<std::size_t, 2> order = {0, 1};
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      const auto timed = evaluator.time(contenders[i], samples_a_round);
      if (!timed.ok()) return timed.status();
      samples[i].insert(samples[i].end(), timed.value().begin(), timed.value().end());
    }
  }
  return std::array{measure::median(samples[0]), measure::median(samples[1])};
}

/// The pairs of one target, one after the other.
class Comparison {
 public:
  Comparison(const Candidate& target, tuner::JsonWriter& json) : target_(target), json_(json) {}

  Status run(const std::vector<Pair>& pairs) {
    auto workbench = measure::make_workbench(*target_.device);
    if (!workbench.ok()) return workbench.status();
    for (const Pair& pair : pairs) {
      std::array<double, 2> us = {pair.first.stats.median_us, pair.first.stats.median_us};
      if (text_of(pair.first) != text_of(pair.second)) {
        const auto timed = time_both(pair, target_, *workbench.value());
        if (!timed.ok()) {
          std::fprintf(stderr, "fastnorm-bench-winners: %s: %s\n", tuner::title(pair.first).c_str(),
                       timed.status().message().c_str());
          ++failed_;
          continue;
        }
        us = timed.value();
      }
      note(pair, us);
    }
    return {};
  }

  const std::vector<double>& ratios() const noexcept { return ratios_; }
  int failed() const noexcept { return failed_; }

 private:
  void note(const Pair& pair, const std::array<double, 2>& us) {
    ratios_.push_back(us[0] / us[1]);
    json_.begin_object();
    json_.key("shape").text(tuner::title(pair.first));
    json_.key("first").text(text_of(pair.first));
    json_.key("second").text(text_of(pair.second));
    json_.key("first_us").number(us[0]);
    json_.key("second_us").number(us[1]);
    json_.key("ratio").number(ratios_.back());
    json_.end();
  }

  const Candidate& target_;
  tuner::JsonWriter& json_;
  std::vector<double> ratios_;
  int failed_ = 0;
};

int fail(const std::string& why) {
  std::fprintf(stderr, "fastnorm-bench-winners: %s\n", why.c_str());
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
  json.key("rounds").integer(rounds);
  json.key("samples_a_round").integer(samples_a_round.at_least);
  json.key("shapes").begin_array();
  std::vector<double> ratios;
  int failed = 0;
  for (const Candidate& target : tuner::usable_targets()) {
    Comparison comparison(target, json);
    const Status status =
        comparison.run(pairs_of(entries_of(first, target), entries_of(second, target)));
    if (!status.ok()) return fail(status.message());
    ratios.insert(ratios.end(), comparison.ratios().begin(), comparison.ratios().end());
    failed += comparison.failed();
  }
  if (ratios.empty()) return fail("the databases have no shape of this device in common");
  json.end();
  json.key("geometric_mean").number(geometric_mean(ratios));
  json.key("largest").number(*std::max_element(ratios.begin(), ratios.end()));
  json.key("smallest").number(*std::min_element(ratios.begin(), ratios.end()));
  json.end();
  std::fputs(std::move(json).take().c_str(), stdout);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace fastnorm::bench

int main(int argc, char** argv) { return fastnorm::bench::run(argc, argv); }
