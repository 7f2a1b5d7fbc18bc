// SPDX-License-Identifier: Apache-2.0
/// Predicts the times of candidates from those of others.
#pragma once

#include "tuner/search_space.hpp"

#include <cstddef>
#include <vector>

namespace fastnorm::tuner {

/// By how much a candidate's time differs from its estimate, as a Gaussian process over the space:
/// what has been measured says most about the same strategy with nearly the same fields, something
/// about the same strategy where single fields agree, and a little about all others. Times and
/// estimates count by their logarithms.
///
/// A measurement costs one pass over the space for each one before it (a Cholesky factor that grows
/// by a row): 500 measurements in a space of 5000 take about half a second in all.
class TimeModel {
 public:
  /// The space has an estimate for each contender.
  explicit TimeModel(const SearchSpace& space);

  void observe(std::size_t index, double us);

  /// The share by which the candidate is expected to be faster than `best_us`: 0.01 is one percent.
  /// The mean over what its time may be, where slower counts as 0.
  double expected_gain(std::size_t index, double best_us) const;

 private:
  /// A candidate's fields as numbers: the places of their values among those that the field has.
  struct Point {
    const KernelVariant* variant;
    std::vector<int> places;
    std::vector<int> farthest;  ///< No two values of the field count as farther apart.
  };

  static std::vector<Point> points_of(const std::vector<Contender>& contenders);
  static double covariance(const Point& a, const Point& b);

  std::vector<Point> points_;
  std::vector<double> log_estimates_;
  std::vector<double> means_;      ///< Of log(time / estimate), given what has been observed.
  std::vector<double> variances_;  ///< Before scale().
  std::vector<std::vector<float>> factor_;  ///< A row for each observation, a column a candidate.
  double surprise_ = 0;  ///< Sum over the observations: (error of the prediction)^2 / variance.
};

}  // namespace fastnorm::tuner
