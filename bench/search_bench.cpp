// SPDX-License-Identifier: Apache-2.0
/// fastnorm-bench-search: how good searches are, on recorded measurements.
///
/// Runs the tuner's own search on recordings (autotune --search exhaustive --record FILE), which
/// answer in the device's place, with different seeds of the search and of the noise, and compares
/// what it chooses with the best of the recording. No device is needed. Prints JSON.
#include "core/enum_values.hpp"
#include "core/file_io.hpp"
#include "measure/samples.hpp"
#include "replay_evaluator.hpp"
#include "statistics.hpp"
#include "tuner/json_writer.hpp"
#include "tuner/recording.hpp"
#include "tuner/search.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::bench {
namespace {

using tuner::Allowance;
using tuner::RecordedSearch;
using tuner::RecordedTrial;
using tuner::SearchMethod;

struct Options {
  std::vector<std::filesystem::path> files;
  SearchMethod method = SearchMethod::guided;
  double share = 0;  ///< Of the space that may be evaluated; 0: no limit.
  int seeds = 10;
};

/// How long a contender takes, as far as anybody knows.
double true_us(const RecordedTrial& trial) { return measure::median(trial.samples_us); }

/// Of fewer samples, the fastest of thousands of contenders is one that was lucky.
constexpr std::size_t samples_of_a_time = 16;

/// The fastest right contender's.
double optimum_us(const RecordedSearch& recorded) {
  double best = std::numeric_limits<double>::infinity();
  for (const RecordedTrial& trial : recorded.trials) {
    const bool known = trial.failure.empty() && trial.samples_us.size() >= samples_of_a_time;
    if (known) best = std::min(best, true_us(trial));
  }
  return best;
}

const RecordedTrial& trial_of(const tuner::Contender& contender, const RecordedSearch& recorded) {
  std::size_t index = 0;
  while (recorded.space.contenders[index].text() != contender.text()) ++index;
  return recorded.trials[index];
}

/// One case's searches.
struct Outcome {
  std::size_t allowed = 0;        ///< Evaluations a search.
  std::vector<double> evaluated;  ///< By each.
  std::vector<double> times;      ///< Of what each has chosen, in optima.
  double default_time = 0;        ///< Likewise.
};

Result<Outcome> search_case(const RecordedSearch& recorded, const Options& options) {
  const auto size = static_cast<double>(recorded.space.contenders.size());
  Outcome outcome;
  outcome.allowed =
      static_cast<std::size_t>(std::lround(options.share > 0 ? options.share * size : size));
  const double optimum = optimum_us(recorded);
  const std::size_t standard = recorded.space.default_index;
  outcome.default_time = true_us(recorded.trials[standard]) / optimum;
  for (int seed = 1; seed <= options.seeds; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    ReplayEvaluator evaluator(recorded, number);
    const Result<tuner::Outcome> found =
        tuner::search(recorded.space, evaluator, {options.method, number},
                      Allowance::evaluations(outcome.allowed), {});
    if (!found.ok())
      return Status(found.status().code(), recorded.name + ": " + found.status().message());
    const tuner::Contender& winner = found.value().best.winner.contender;
    outcome.evaluated.push_back(static_cast<double>(found.value().evaluated));
    outcome.times.push_back(std::max(true_us(trial_of(winner, recorded)) / optimum, 1.0));
  }
  return outcome;
}

Result<std::vector<RecordedSearch>> read_recordings(
    const std::vector<std::filesystem::path>& files) {
  constexpr std::size_t most_bytes = std::size_t{1} << 30;
  std::vector<RecordedSearch> all;
  for (const std::filesystem::path& file : files) {
    const auto text = read_file(file, most_bytes);
    if (!text.ok()) return text.status();
    auto searches = tuner::parse_recording(text.value().value_or(""), file.string());
    if (!searches.ok()) return searches.status();
    for (RecordedSearch& search : searches.value()) all.push_back(std::move(search));
  }
  return all;
}

Result<std::string> report(const std::vector<RecordedSearch>& recordings, const Options& options) {
  tuner::JsonWriter json;
  std::vector<double> means;
  double worst = 1;
  json.begin_object();
  json.key("search").text(to_string(options.method));
  json.key("share").number(options.share);
  json.key("seeds").integer(options.seeds);
  json.key("cases").begin_array();
  for (const RecordedSearch& recorded : recordings) {
    const Result<Outcome> searched = search_case(recorded, options);
    if (!searched.ok()) return searched.status();
    const auto& [allowed, evaluated, times, default_time] = searched.value();
    means.push_back(geometric_mean(times));
    const double worst_here = *std::max_element(times.begin(), times.end());
    worst = std::max(worst, worst_here);
    json.begin_object();
    json.key("name").text(recorded.name);
    json.key("problem").text(recorded.problem);
    json.key("device").text(recorded.device);
    json.key("contenders").integer(static_cast<std::int64_t>(recorded.trials.size()));
    json.key("allowed").integer(static_cast<std::int64_t>(allowed));
    json.key("evaluated").number(mean(evaluated));
    json.key("regret_of_default").number(default_time - 1);
    json.key("regret").number(means.back() - 1);
    json.key("worst_regret").number(worst_here - 1);
    json.end();
  }
  json.end();
  json.key("regret").number(geometric_mean(means) - 1);
  json.key("worst_case_regret").number(*std::max_element(means.begin(), means.end()) - 1);
  json.key("worst_regret").number(worst - 1);
  json.end();
  return std::move(json).take();
}

int fail(const Status& status) {
  std::fprintf(stderr, "fastnorm-bench-search: %s\n", status.message().c_str());
  return 1;
}

int run(int argc, char** argv) {
  constexpr int usage_error = 2;
  Options options;
  CLI::App app("Repeats searches on recorded measurements, and says how good their choices are.");
  app.add_option("FILE", options.files, "Recordings: autotune --search exhaustive --record FILE")
      ->required();
  app.add_option_function<std::string>(
         "--search",
         [&](const std::string& text) {
           const auto method = find_by_name(tuner::all_search_methods, text);
           if (!method)
             throw CLI::ValidationError("--search",
                                        "must be one of " + names_of(tuner::all_search_methods));
           options.method = *method;
         },
         "Method (default: guided)")
      ->type_name("METHOD");
  app.add_option("--share", options.share,
                 "Share of the space that a search may evaluate: 0.1 (default: all of it)")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--seeds", options.seeds, "Searches a case (default: 10)")
      ->check(CLI::Range(1, 100000));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage_error;
  }
  const auto recordings = read_recordings(options.files);
  if (!recordings.ok()) return fail(recordings.status());
  if (recordings.value().empty())
    return fail({StatusCode::invalid_argument, "no case is recorded"});
  const Result<std::string> text = report(recordings.value(), options);
  if (!text.ok()) return fail(text.status());
  std::fputs(text.value().c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace fastnorm::bench

int main(int argc, char** argv) { return fastnorm::bench::run(argc, argv); }
