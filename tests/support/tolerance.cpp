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

constexpr double half_ulp = 1.0 / (1 << 24);

std::string describe(std::size_t i, float got, double expected, double tolerance) {
  std::ostringstream text;
  text << std::setprecision(9) << "[" << i << "] is " << got << ", expected " << expected << " +- "
       << tolerance << " (off by " << double{got} - expected << ")";
  return text.str();
}

std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

double t32(double ref, double gamma, double mean, double rstd) {
  const double scale = std::max(1.0, std::abs(gamma));
  return 2e-5 * std::max(scale, std::abs(ref)) + 2 * half_ulp * std::abs(mean) * rstd * scale;
}

std::vector<double> y_tolerance(const NormDesc& desc, const NormInputs& inputs,
                                const NormReference& reference) {
  const LogicalShape shape = logical_shape(desc);
  std::vector<double> tolerance(reference.y.size());
  for (std::size_t i = 0; i < tolerance.size(); ++i) {
    const std::size_t c = i / shape.spatial % shape.c;
    const std::size_t n = i / shape.spatial / shape.c;
    const std::size_t statistic = n * shape.groups + c / (shape.c / shape.groups);
    const double gamma = inputs.gamma ? double{(*inputs.gamma)[c]} : 1.0;
    tolerance[i] = t32(reference.y[i], gamma, reference.mean[statistic], reference.rstd[statistic]);
  }
  return tolerance;
}

std::vector<double> mean_tolerance(const NormReference& reference) {
  std::vector<double> tolerance(reference.mean.size());
  for (std::size_t i = 0; i < tolerance.size(); ++i) {
    tolerance[i] = 2e-5 / reference.rstd[i] + 2 * half_ulp * std::abs(reference.mean[i]);
  }
  return tolerance;
}

std::vector<double> rstd_tolerance(const NormReference& reference) {
  std::vector<double> tolerance(reference.rstd.size());
  for (std::size_t i = 0; i < tolerance.size(); ++i) {
    const double mean_error = 2 * half_ulp * std::abs(reference.mean[i]) * reference.rstd[i];
    tolerance[i] = reference.rstd[i] * (2e-5 + 0.5 * mean_error * mean_error);
  }
  return tolerance;
}

::testing::AssertionResult all_within(const std::string& name, const std::vector<float>& got,
                                      const std::vector<double>& expected,
                                      const std::vector<double>& tolerance) {
  if (got.size() != expected.size()) {
    return ::testing::AssertionFailure()
           << name << " has " << got.size() << " elements, expected " << expected.size();
  }
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::size_t violations = 0;
  std::size_t first = 0;
  std::size_t worst = 0;
  double worst_excess = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(double{got[i]} - expected[i]);
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

::testing::AssertionResult same_bits(const std::string& name, const std::vector<float>& got,
                                     const std::vector<float>& expected) {
  if (got.size() != expected.size()) {
    return ::testing::AssertionFailure()
           << name << " has " << got.size() << " elements, expected " << expected.size();
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (bits_of(got[i]) == bits_of(expected[i])) continue;
    return ::testing::AssertionFailure() << std::setprecision(9) << name << "[" << i << "] is "
                                         << got[i] << ", expected exactly " << expected[i];
  }
  return ::testing::AssertionSuccess();
}

}  // namespace fastnorm::test
