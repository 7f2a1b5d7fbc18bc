// SPDX-License-Identifier: Apache-2.0
#include "support/tolerance.hpp"

#include "support/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iomanip>
#include <limits>
#include <sstream>

namespace fastnorm::test {
namespace {

/// What a type's results may be off by.
struct Precision {
  double share;     ///< Of the result's scale.
  double half_ulp;  ///< Of x and of the mean, relative; 0 where `share` is far larger.
};

Precision precision_of(DType type) {
  switch (type) {
    case DType::f32:
      return {2e-5, 0x1p-24};
    case DType::f64:
      return {1e-11, 0x1p-53};
    case DType::f16:
      return {2e-3, 0};
    case DType::bf16:
      return {1.6e-2, 0};
  }
  return {0, 0};
}

double lipschitz(const Epilogue& epilogue) {
  switch (epilogue.activation) {
    case Activation::leaky_relu:
      return std::max(1.0, std::abs(double{epilogue.slope}));
    case Activation::elu:
      return std::max(1.0, std::abs(double{epilogue.alpha}));
    case Activation::silu:
      return 1.1;
    case Activation::gelu:
    case Activation::gelu_tanh:
      return 1.2;
    case Activation::hardswish:
      return 1.5;
    default:
      return 1;
  }
}

/// How far rounding can move two values apart that both lie within `error` of this one, beyond what
/// they already are.
double rounding_gap(DType type, double value, double error) {
  return rounded(type, value + error) - rounded(type, value - error);
}

std::string describe(std::size_t i, double got, double expected, double tolerance) {
  std::ostringstream text;
  text << std::setprecision(std::abs(tolerance) < 1e-8 ? 17 : 9) << "[" << i << "] is " << got
       << ", expected " << expected << " +- " << tolerance << " (off by " << got - expected << ")";
  return text.str();
}

std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

::testing::AssertionResult other_length(const std::string& name, std::size_t got,
                                        std::size_t expected) {
  return ::testing::AssertionFailure()
         << name << " has " << got << " elements, expected " << expected;
}

Values widened(const std::vector<float>& values) { return {values.begin(), values.end()}; }

}  // namespace

double value_tolerance(DType y_type, double ref, double gamma, double mean, double rstd) {
  const Precision precision = precision_of(y_type);
  const double scale = std::max(1.0, std::abs(gamma));
  return precision.share * std::max(scale, std::abs(ref)) +
         2 * precision.half_ulp * std::abs(mean) * rstd * scale;
}

Values y_tolerance(const NormDesc& desc, const NormReference& reference) {
  const std::size_t row_len = logical_shape(desc).row_len();
  const DType accumulation = accumulation_type(desc.x_type);
  const bool rounds_on_the_way = desc.epilogue.normalised == NormalisedRounding::affine_type &&
                                 size_of(desc.affine_type) < size_of(accumulation);
  const double stretch = lipschitz(desc.epilogue);
  Values tolerance(reference.y.size());
  for (std::size_t i = 0; i < tolerance.size(); ++i) {
    const double mean = reference.mean[i / row_len];
    const double rstd = reference.rstd[i / row_len];
    const double factor = reference.factor[i];
    double t = value_tolerance(desc.y_type, reference.before_activation[i], factor, mean, rstd);
    if (rounds_on_the_way) {
      const double normalised = reference.normalised[i];
      const double error = value_tolerance(accumulation, normalised, 1, mean, rstd);
      t += std::abs(factor) * rounding_gap(desc.affine_type, normalised, error);
    }
    tolerance[i] = stretch * t;
  }
  return tolerance;
}

Values mean_tolerance(const NormDesc& desc, const NormReference& reference) {
  const Precision precision = precision_of(accumulation_type(desc.x_type));
  Values tolerance(reference.mean.size());
  for (std::size_t i = 0; i < tolerance.size(); ++i) {
    tolerance[i] =
        precision.share / reference.rstd[i] + 2 * precision.half_ulp * std::abs(reference.mean[i]);
  }
  return tolerance;
}

Values rstd_tolerance(const NormDesc& desc, const NormReference& reference) {
  const Precision precision = precision_of(accumulation_type(desc.x_type));
  Values tolerance(reference.rstd.size());
  for (std::size_t i = 0; i < tolerance.size(); ++i) {
    const double mean_error =
        2 * precision.half_ulp * std::abs(reference.mean[i]) * reference.rstd[i];
    tolerance[i] = reference.rstd[i] * (precision.share + 0.5 * mean_error * mean_error);
  }
  return tolerance;
}

::testing::AssertionResult all_within(const std::string& name, const Values& got,
                                      const Values& expected, const Values& tolerance) {
  if (got.size() != expected.size()) return other_length(name, got.size(), expected.size());
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::size_t violations = 0;
  std::size_t first = 0;
  std::size_t worst = 0;
  double worst_excess = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(got[i] - expected[i]);
    if (error <= tolerance[i]) continue;
    const double ratio = error / tolerance[i];
    const double excess = std::isnan(ratio) ? infinite : ratio;
    if (violations == 0) first = i;
    if (excess > worst_excess) {
      worst_excess = excess;
      worst = i;
    }
    ++violations;
  }
  if (violations == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << violations << " of " << got.size() << " elements of " << name
         << " are out of tolerance\n  first: " << name
         << describe(first, got[first], expected[first], tolerance[first]) << "\n  worst: " << name
         << describe(worst, got[worst], expected[worst], tolerance[worst]);
}

::testing::AssertionResult all_within(const std::string& name, const std::vector<float>& got,
                                      const Values& expected, const Values& tolerance) {
  return all_within(name, widened(got), expected, tolerance);
}

::testing::AssertionResult same_bits(const std::string& name, const Values& got,
                                     const Values& expected) {
  if (got.size() != expected.size()) return other_length(name, got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (bits_of(got[i]) == bits_of(expected[i])) continue;
    return ::testing::AssertionFailure() << std::setprecision(17) << name << "[" << i << "] is "
                                         << got[i] << ", expected exactly " << expected[i];
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult same_bits(const std::string& name, const std::vector<float>& got,
                                     const std::vector<float>& expected) {
  return same_bits(name, widened(got), widened(expected));
}

}  // namespace fastnorm::test
