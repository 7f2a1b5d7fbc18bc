/// How far a result may lie from the reference, and the comparison that says where it does not.
#pragma once

#include "support/oracle.hpp"

#include <fastnorm/norm_desc.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace fastnorm::test {

/// fp32 with fp32 accumulation:
///     2e-5 * max(1, |ref|, |gamma|)  +  2 * 2^-24 * |mean| * rstd * max(1, |gamma|)
/// The second term is what the rounding of x and of the mean to fp32 costs at the least.
double t32(double ref, double gamma, double mean, double rstd);

/// t32 for each element of y.
std::vector<double> y_tolerance(const NormDesc& desc, const NormInputs& inputs,
                                const NormReference& reference);

/// What t32 implies for the saved statistics: the mean may be off by 2e-5 standard deviations and
/// two roundings, the variance by 4e-5 of itself and by the square of the mean's error.
std::vector<double> mean_tolerance(const NormReference& reference);
std::vector<double> rstd_tolerance(const NormReference& reference);

/// Whether |got - expected| <= tolerance everywhere. NaN never passes, on either side. A failure
/// names the first and the worst element.
::testing::AssertionResult all_within(const std::string& name, const std::vector<float>& got,
                                      const std::vector<double>& expected,
                                      const std::vector<double>& tolerance);

/// The same bits, NaN included.
::testing::AssertionResult same_bits(const std::string& name, const std::vector<float>& got,
                                     const std::vector<float>& expected);

}  // namespace fastnorm::test
