// SPDX-License-Identifier: Apache-2.0
#include "side_by_side.hpp"

#include "core/tuning_store.hpp"
#include "measure/workbench.hpp"
#include "statistics.hpp"
#include "tuner/entry_job.hpp"
#include "tuner/workbench_evaluator.hpp"

#include <fastnorm/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>

namespace fastnorm::bench {
namespace {

using tuner::Contender;

constexpr std::uint64_t seed = 1;
constexpr int rounds = 15;
constexpr measure::SampleLimits samples_a_round{3, 3, 0};

/// Medians, in the pair's order.
Result<std::array<double, 2>> time_both(const Pair& pair, const Candidate& target,
                                        measure::Workbench& workbench) {
  const Result<tuner::Job> job = tuner::job_of(pair.entry);
  if (!job.ok()) return job.status();
  const Problem& problem = job.value().problem;
  Status status = workbench.load(problem.desc(), job.value().workload.affine, seed);
  if (!status.ok()) return status;
  tuner::WorkbenchEvaluator evaluator(problem, *target.device, workbench);
  std::array<Contender, 2> contenders;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    Result<Contender> contender =
        Contender::parse(i == 0 ? pair.first : pair.second, *target.backend);
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

}  // namespace

std::vector<TuningFile> files_for(const std::filesystem::path& database, const Candidate& target) {
  std::vector<TuningFile> files;
  for (TuningFile& file : read_tuning_path(database)) {
    if (match(file.device, DeviceKey::of(*target.device)) != DeviceMatch::exact) continue;
    const auto others = [&](const TuningEntry& entry) {
      return entry.key.backend != target.backend->name();
    };
    file.entries.erase(std::remove_if(file.entries.begin(), file.entries.end(), others),
                       file.entries.end());
    files.push_back(std::move(file));
  }
  return files;
}

std::string text_of(const TuningEntry& entry) {
  return entry.strategy + " " + to_string(entry.config);
}

SideBySide::SideBySide(std::string program, tuner::JsonWriter& json)
    : program_(std::move(program)), json_(json) {
  json_.key("fastnorm").text(version());
  json_.key("kernel_version").integer(kernel_version);
  json_.key("rounds").integer(rounds);
  json_.key("samples_a_round").integer(samples_a_round.at_least);
  json_.key("shapes").begin_array();
}

Status SideBySide::run(const Candidate& target, const std::vector<Pair>& pairs) {
  auto workbench = measure::make_workbench(*target.device);
  if (!workbench.ok()) return workbench.status();
  for (const Pair& pair : pairs) {
    std::array<double, 2> us = {pair.entry.stats.median_us, pair.entry.stats.median_us};
    if (pair.first != pair.second) {
      const auto timed = time_both(pair, target, *workbench.value());
      if (!timed.ok()) {
        std::fprintf(stderr, "%s: %s: %s\n", program_.c_str(), tuner::title(pair.entry).c_str(),
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

void SideBySide::note(const Pair& pair, const std::array<double, 2>& us) {
  ratios_.push_back(us[0] / us[1]);
  json_.begin_object();
  json_.key("shape").text(tuner::title(pair.entry));
  json_.key("first").text(pair.first);
  json_.key("second").text(pair.second);
  json_.key("first_us").number(us[0]);
  json_.key("second_us").number(us[1]);
  json_.key("ratio").number(ratios_.back());
  json_.end();
}

void SideBySide::conclude() {
  json_.end();
  json_.key("geometric_mean").number(geometric_mean(ratios_));
  json_.key("largest").number(*std::max_element(ratios_.begin(), ratios_.end()));
  json_.key("smallest").number(*std::min_element(ratios_.begin(), ratios_.end()));
}

}  // namespace fastnorm::bench
