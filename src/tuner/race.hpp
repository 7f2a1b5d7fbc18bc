// SPDX-License-Identifier: Apache-2.0
/// Tells fast candidates from slower ones by samples.
#pragma once

#include <fastnorm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace fastnorm::tuner {

/// Whether a few samples show that their candidate is slower than the one with `leader`'s: each of
/// them is larger than all but one of the leader's, which of 3 and 7 samples of equally fast
/// candidates happens once in 30 times (a rank test, and the one that may be larger was perhaps a
/// burst of other load), and the medians are farther apart than what the clock may have drifted
/// between.
bool is_clear_loser(const std::vector<double>& samples, const std::vector<double>& leader);

/// How sure a comparison has to be, in standard errors of the medians' difference.
enum class Confidence { high, usual };

/// Whether the median of `fast` is smaller than that of `slow` beyond noise. The medians' standard
/// errors are estimated by the median absolute deviations: a burst of other load does not count.
bool is_faster(const std::vector<double>& fast, const std::vector<double>& slow,
               Confidence confidence);

struct Racer {
  std::size_t index;  ///< In the search space.
  bool deterministic;
  std::vector<double> samples;
  bool out = false;  ///< Has clearly lost, or failed.
};

/// A racer's samples of the rounds that the other ran, too: after one dropped out, the clock may
/// have drifted.
std::vector<double> samples_beside(const Racer& racer, const Racer& other);

/// What a race needs to know of the outside.
struct RaceTrack {
  std::function<Result<std::vector<double>>(std::size_t index)> time;
  /// Told of one that could not be timed: ok where the others go on without it.
  std::function<Status(std::size_t index, const Status& why)> fail;
  /// Whether there is time for another round after this many.
  std::function<bool(std::size_t rounds)> go_on;
};

/// Times the racers by rounds, each round in another random order, so that a drift of the clock
/// meets all of them. After the third round, and each one later, those drop out that are clearly
/// slower than another whose results repeat if theirs do; the rounds end when nobody is left to
/// compare, or enough is known. Errors: those of `fail`.
Status race(std::vector<Racer>& racers, const RaceTrack& track, std::uint64_t seed);

}  // namespace fastnorm::tuner
