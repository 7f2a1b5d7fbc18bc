// SPDX-License-Identifier: Apache-2.0
/// The library's element types on the host, apart from the kernels' own conversions: elements are
/// handled as values of double, which holds every value of each type.
#pragma once

#include <fastnorm/types.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fastnorm::test {

using Values = std::vector<double>;

/// The type's nearest value; of two equally near ones that with the even mantissa. What lies beyond
/// the largest becomes infinite, NaN stays NaN.
double rounded(DType type, double value);
Values rounded(DType type, Values values);

/// The bits of rounded(type, value), in the low bytes; and the value of such bits. A NaN's payload
/// survives from_bits, so that values from two runs show whether those gave the same bits.
std::uint64_t to_bits(DType type, double value);
double from_bits(DType type, std::uint64_t bits);

/// Tensors as they lie in memory.
std::vector<std::uint8_t> encode(DType type, const Values& values);
Values decode(DType type, const std::vector<std::uint8_t>& bytes);

/// What is summed, and the type of mean and rstd, for tensors of type x.
DType accumulation_type(DType x);

}  // namespace fastnorm::test
