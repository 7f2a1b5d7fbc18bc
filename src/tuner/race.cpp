// SPDX-License-Identifier: Apache-2.0
#include "tuner/race.hpp"

#include "measure/samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

namespace fastnorm::tuner {
namespace {

/// Between measurements that are not interleaved, times may differ by so much without a reason.
constexpr double drift = 0.01;

/// Rounds: at least so many before samples are compared, and at most so many.
constexpr std::size_t least_rounds = 3;
constexpr std::size_t most_rounds = 12;

/// Less than this, no clock can tell.
constexpr double least_difference = 0.001;

double standard_errors(Confidence confidence) { return confidence == Confidence::high ? 3 : 2; }

/// Whether `loser` has clearly lost to `winner`, and cannot be wanted beside it.
bool has_lost(const Racer& loser, const Racer& winner) {
  if (loser.deterministic && !winner.deterministic) return false;
  return is_faster(winner.samples, loser.samples, Confidence::high);
}

/// Whether more rounds could change anything.
bool is_open(const std::vector<Racer>& racers) {
  return std::count_if(racers.begin(), racers.end(),
                       [](const Racer& racer) { return !racer.out; }) > 1;
}

void drop_losers(std::vector<Racer>& racers) {
  for (Racer& racer : racers) {
    if (racer.out) continue;
    racer.out = std::any_of(racers.begin(), racers.end(), [&](const Racer& other) {
      return !other.out && has_lost(racer, other);
    });
  }
}

}  // namespace

bool is_clear_loser(const std::vector<double>& samples, const std::vector<double>& leader) {
  const double fastest = *std::min_element(samples.begin(), samples.end());
  const auto as_slow =
      std::count_if(leader.begin(), leader.end(), [fastest](double us) { return us >= fastest; });
  return as_slow <= 1 && measure::median(samples) > (1 + drift) * measure::median(leader);
}

bool is_faster(const std::vector<double>& fast, const std::vector<double>& slow,
               Confidence confidence) {
  const measure::Summary of_fast = measure::summarize(fast);
  const measure::Summary of_slow = measure::summarize(slow);
  const double error = std::hypot(measure::standard_error_us(of_fast.mad_us, of_fast.samples),
                                  measure::standard_error_us(of_slow.mad_us, of_slow.samples));
  const double least =
      std::max(standard_errors(confidence) * error, least_difference * of_slow.median_us);
  return of_slow.median_us - of_fast.median_us > least;
}

std::vector<double> samples_beside(const Racer& racer, const Racer& other) {
  const auto common = std::min(racer.samples.size(), other.samples.size());
  const auto first = racer.samples.begin();
  return {first, first + static_cast<std::ptrdiff_t>(common)};
}

Status race(std::vector<Racer>& racers, const RaceTrack& track, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Racer*> order;
  for (Racer& racer : racers) order.push_back(&racer);
  for (std::size_t round = 0; round < most_rounds; ++round) {
    if (round >= least_rounds) {
      drop_losers(racers);
      if (!is_open(racers) || !track.go_on(round)) break;
    }
    std::shuffle(order.begin(), order.end(), random);
    for (Racer* racer : order) {
      if (racer->out) continue;
      const Result<std::vector<double>> timed = track.time(racer->index);
      if (!timed.ok()) {
        if (Status ends = track.fail(racer->index, timed.status()); !ends.ok()) return ends;
        racer->out = true;
        continue;
      }
      racer->samples.insert(racer->samples.end(), timed.value().begin(), timed.value().end());
    }
  }
  return {};
}

}  // namespace fastnorm::tuner
