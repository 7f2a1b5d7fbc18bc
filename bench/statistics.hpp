// SPDX-License-Identifier: Apache-2.0
/// Means of several figures.
#pragma once

#include <cmath>
#include <vector>

namespace fastnorm::bench {

inline double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

inline double geometric_mean(const std::vector<double>& values) {
  double logarithms = 0;
  for (const double value : values) logarithms += std::log(value);
  return std::exp(logarithms / static_cast<double>(values.size()));
}

}  // namespace fastnorm::bench
