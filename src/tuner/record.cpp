#include "tuner/record.hpp"

#include <fastnorm/version.hpp>

#include <cmath>
#include <ctime>
#include <utility>

namespace fastnorm::tuner {
namespace {

/// To the nanosecond: no clock here sees more.
double rounded_us(double us) { return std::round(us * 1e3) / 1e3; }

TuningEntry make_entry(const Problem& problem, const Candidate& target, const Choice& choice,
                       double copy_us) {
  const Contender& winner = choice.winner.contender;
  TuningEntry entry;
  entry.key = TuningKey::of(problem, target.backend->name());
  entry.key.deterministic = winner.deterministic();
  entry.shape = TuningShape::of(problem);
  entry.strategy = winner.variant->name();
  entry.config = winner.config.fields();
  entry.stats.median_us = rounded_us(choice.winner.time.median_us);
  entry.stats.mad_us = rounded_us(choice.winner.time.mad_us);
  entry.stats.samples = choice.winner.time.samples;
  entry.stats.default_us = rounded_us(choice.default_choice.time.median_us);
  entry.stats.copy_us = rounded_us(copy_us);
  return entry;
}

}  // namespace

std::vector<TuningEntry> make_entries(const Problem& problem, const Candidate& target,
                                      const Outcome& outcome, double copy_us) {
  std::vector<TuningEntry> entries = {make_entry(problem, target, outcome.best, copy_us)};
  if (outcome.best_deterministic) {
    entries.push_back(make_entry(problem, target, *outcome.best_deterministic, copy_us));
  }
  return entries;
}

TuningFile make_file(const Candidate& target, const measure::Software& software, std::string utc,
                     std::vector<TuningEntry> entries) {
  TuningFile file;
  file.device_name = target.device->name;
  file.device = DeviceKey::of(*target.device);
  file.provenance = {version(), software.cuda, software.driver, std::move(utc)};
  file.entries = std::move(entries);
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
