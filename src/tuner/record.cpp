// SPDX-License-Identifier: Apache-2.0
#include "tuner/record.hpp"

#include <fastnorm/version.hpp>

#include <cmath>
#include <ctime>
#include <utility>

namespace fastnorm::tuner {
namespace {

/// To the nanosecond: no clock here sees more.
double rounded_us(double us) { return std::round(us * 1e3) / 1e3; }

/// Of either figure of the choice, since they are compared.
Disturbances disturbances_of(const Choice& choice, const DisturbedContenders& disturbed) {
  Disturbances all;
  for (const Measured& measured : {choice.winner, choice.default_choice}) {
    const auto found = disturbed.find(measured.contender.text());
    if (found != disturbed.end()) all |= found->second;
    if (measure::scatters(measured.time)) all |= Disturbance::scatter;
  }
  return all;
}

TuningEntry make_entry(const Problem& problem, const Candidate& target, const Choice& choice,
                       const CaseStart& start, const DisturbedContenders& disturbed) {
  const Contender& winner = choice.winner.contender;
  TuningEntry entry;
  entry.key = TuningKey::of(problem, target.backend->name());
  entry.key.deterministic = winner.deterministic();
  entry.shape = TuningShape::of(problem);
  entry.strategy = winner.variant->name();
  entry.config = winner.config.fields();
  entry.stats = stats_of(choice, start, disturbed);
  return entry;
}

}  // namespace

TuningStats stats_of(const Choice& choice, const CaseStart& start,
                     const DisturbedContenders& disturbed) {
  TuningStats stats;
  stats.median_us = rounded_us(choice.winner.time.median_us);
  stats.mad_us = rounded_us(choice.winner.time.mad_us);
  stats.samples = choice.winner.time.samples;
  stats.default_us = rounded_us(choice.default_choice.time.median_us);
  stats.copy_us = rounded_us(start.copy_us);
  stats.default_mad_us = rounded_us(choice.default_choice.time.mad_us);
  stats.copy_mad_us = rounded_us(start.copy_mad_us);
  stats.disturbed_by = disturbances_of(choice, disturbed);
  return stats;
}

std::vector<TuningEntry> make_entries(const Problem& problem, const Candidate& target,
                                      const Outcome& outcome, const CaseStart& start,
                                      const DisturbedContenders& disturbed) {
  std::vector<TuningEntry> entries = {make_entry(problem, target, outcome.best, start, disturbed)};
  if (outcome.best_deterministic) {
    entries.push_back(make_entry(problem, target, *outcome.best_deterministic, start, disturbed));
  }
  return entries;
}

TuningFile make_file(const Candidate& target, const measure::Software& software, std::string utc,
                     std::vector<TuningEntry> entries) {
  TuningFile file;
  file.device_name = target.device->name;
  file.device = DeviceKey::of(*target.device);
  file.entries = std::move(entries);
  const Provenance now{version(), software.cuda, software.driver, std::move(utc)};
  for (TuningEntry& entry : file.entries) entry.provenance = now;
  return file;
}

std::string utc_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts));
}

}  // namespace fastnorm::tuner
