/// The fp64 reference of one element, and the tally of comparisons with it. For host and device.
#pragma once

#include <cstdint>
#include <limits>

namespace fastnorm::measure {

struct RowStatistics {
  double mean;
  double rstd;
};

constexpr double magnitude(double value) noexcept { return value < 0 ? -value : value; }
constexpr double larger(double a, double b) noexcept { return a < b ? b : a; }

constexpr double reference_value(double x, const RowStatistics& row, double gamma,
                                 double beta) noexcept {
  return (x - row.mean) * row.rstd * gamma + beta;
}

/// What an fp32 kernel may be off by: a share of the result's scale, plus what rounding the mean to
/// fp32 costs where it is large against the deviation.
constexpr double f32_tolerance(double reference, const RowStatistics& row, double gamma) noexcept {
  const double scale = larger(1, magnitude(gamma));
  return 2e-5 * larger(scale, magnitude(reference)) +
         2 * 0x1p-24 * magnitude(row.mean) * row.rstd * scale;
}

/// What a verification compares. Pointers lead into the space's memory; gamma and beta may be null.
struct Expectation {
  const float* x;
  const float* y;
  const float* gamma;
  const float* beta;
  const RowStatistics* statistics;
  std::int64_t rows;
  std::int64_t row_len;
  std::int64_t row_period;
  std::int64_t channels_per_row;
  std::int64_t inner;
};

/// The tally; value-initialised it is that of no elements.
struct Comparison {
  std::int64_t violations;
  double worst_ratio;  ///< Of error to tolerance.
  std::int64_t worst_index;
  double got;
  double expected;
};

constexpr void take_worse(Comparison& tally, double ratio, std::int64_t index, double got,
                          double expected) noexcept {
  tally.worst_ratio = ratio;
  tally.worst_index = index;
  tally.got = got;
  tally.expected = expected;
}

/// Whether an element is further off than `ratio` times the tolerance. A NaN always is: it fails
/// the negated comparison.
constexpr bool beyond(double ratio, double x, double y, const RowStatistics& row, double gamma,
                      double beta) noexcept {
  const double expected = reference_value(x, row, gamma, beta);
  return !(magnitude(y - expected) <= ratio * f32_tolerance(expected, row, gamma));
}

/// One element more: `index` in memory order.
constexpr void count_element(Comparison& tally, std::int64_t index, double x, double y,
                             const RowStatistics& row, double gamma, double beta) noexcept {
  if (beyond(1, x, y, row, gamma, beta)) ++tally.violations;
  if (!beyond(tally.worst_ratio, x, y, row, gamma, beta)) return;
  const double expected = reference_value(x, row, gamma, beta);
  const double error = magnitude(y - expected);
  const double ratio = error == error ? error / f32_tolerance(expected, row, gamma)
                                      : std::numeric_limits<double>::infinity();
  if (ratio > tally.worst_ratio) take_worse(tally, ratio, index, y, expected);
}

/// Ties go to the lower index, so that the outcome does not depend on the order of merging.
constexpr void merge(Comparison& into, const Comparison& from) noexcept {
  into.violations += from.violations;
  if (from.worst_ratio > into.worst_ratio ||
      (from.worst_ratio == into.worst_ratio && from.worst_index < into.worst_index)) {
    take_worse(into, from.worst_ratio, from.worst_index, from.got, from.expected);
  }
}

}  // namespace fastnorm::measure
