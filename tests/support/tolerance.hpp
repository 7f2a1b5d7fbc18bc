// SPDX-License-Identifier: Apache-2.0
/// How far a result may lie from the reference, and the comparison that says where it does not.
#pragma once

#include "support/oracle.hpp"

#include <fastnorm/norm_desc.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fastnorm::test {

/// For one value before the activation, by the type of y; gamma is all that multiplies the
/// normalised value.
///
///     f32:   2e-5 max(1, |ref|, |gamma|)  +  2 * 2^-24 |mean| rstd max(1, |gamma|)
///     f64:  1e-11 max(1, |ref|, |gamma|)  +  2 * 2^-53 |mean| rstd max(1, |gamma|)
///     f16:   2e-3 max(1, |ref|, |gamma|)
///     bf16: 1.6e-2 max(1, |ref|, |gamma|)
///
/// The second term is what the rounding of x and of the mean costs at the least.
double value_tolerance(DType y_type, double ref, double gamma, double mean, double rstd);

/// The same for each element of y, with two more allowances. An activation may stretch an error by
/// its Lipschitz constant. And where the normalised value is rounded on the way, the kernel's value
/// and the reference's may lie on either side of a boundary and end a unit in the last place of
/// gamma's type apart, which gamma multiplies: where a boundary is that near, both are right. (The
/// sum with a residual needs no such allowance: it is one addition, whose rounding is settled.)
Values y_tolerance(const NormDesc& desc, const NormReference& reference);

/// What value_tolerance implies for the saved statistics: the mean may be off by 2e-5 standard
/// deviations (f64: 1e-11) and two roundings, the variance by twice that share of itself and by the
/// square of the mean's error.
Values mean_tolerance(const NormDesc& desc, const NormReference& reference);
Values rstd_tolerance(const NormDesc& desc, const NormReference& reference);

/// Whether |got - expected| <= tolerance everywhere. NaN never passes, on either side. A failure
/// names the first and the worst element.
::testing::AssertionResult all_within(const std::string& name, const Values& got,
                                      const Values& expected, const Values& tolerance);
::testing::AssertionResult all_within(const std::string& name, const std::vector<float>& got,
                                      const Values& expected, const Values& tolerance);

/// The same bits, NaN included.
::testing::AssertionResult same_bits(const std::string& name, const Values& got,
                                     const Values& expected);
::testing::AssertionResult same_bits(const std::string& name, const std::vector<float>& got,
                                     const std::vector<float>& expected);

}  // namespace fastnorm::test
