// SPDX-License-Identifier: Apache-2.0
#include "support/element_types.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace fastnorm::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A binary format with an implicit leading bit, as IEEE 754 lays it out.
struct Format {
  int bits;
  int mantissa_bits;
  int max_exponent;  ///< Of the largest finite value; also the bias.
  int min_exponent() const { return 1 - max_exponent; }
  std::uint64_t exponent_mask() const {
    return (std::uint64_t{1} << (bits - 1 - mantissa_bits)) - 1;
  }
};

/// Of the types that the language lacks.
Format format_of(DType type) {
  switch (type) {
    case DType::f16:
      return {16, 10, 15};
    case DType::bf16:
      return {16, 7, 127};
    default:
      throw std::logic_error("not a 16-bit type");
  }
}

template <class To, class From>
To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// NaNs keep their payload.
double widen(const Format& format, std::uint64_t bits) {
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << format.mantissa_bits) - 1);
  const std::uint64_t exponent = bits >> format.mantissa_bits & format.exponent_mask();
  const bool negative = (bits >> (format.bits - 1) & 1) != 0;
  if (exponent == format.exponent_mask()) {
    constexpr Format wide{64, 52, 1023};
    return bit_cast<double>(std::uint64_t{negative} << 63 |
                            wide.exponent_mask() << wide.mantissa_bits |
                            mantissa << (wide.mantissa_bits - format.mantissa_bits));
  }
  const bool subnormal = exponent == 0;
  const std::uint64_t leading = subnormal ? 0 : std::uint64_t{1} << format.mantissa_bits;
  const int power =
      (subnormal ? format.min_exponent() : static_cast<int>(exponent) - format.max_exponent) -
      format.mantissa_bits;
  const double magnitude = std::ldexp(static_cast<double>(leading | mantissa), power);
  return negative ? -magnitude : magnitude;
}

/// Of a value that the format has.
std::uint64_t narrow(const Format& format, double value) {
  const std::uint64_t sign = std::uint64_t{std::signbit(value)} << (format.bits - 1);
  const std::uint64_t specials = format.exponent_mask() << format.mantissa_bits;
  if (std::isnan(value)) return sign | specials | std::uint64_t{1} << (format.mantissa_bits - 1);
  if (std::isinf(value)) return sign | specials;
  if (value == 0) return sign;
  const int exponent = std::max(std::ilogb(value), format.min_exponent());
  const auto mantissa = static_cast<std::uint64_t>(
      std::ldexp(std::abs(value), format.mantissa_bits - exponent));  // leading bit included
  const auto biased = static_cast<std::uint64_t>(exponent + format.max_exponent);
  // A subnormal lacks the leading bit, and with it one step of the exponent.
  return sign + ((biased - 1) << format.mantissa_bits) + mantissa;
}

const Values& all_elements(DType type) {
  const auto make = [](DType of) {
    Values values(1 << 16);
    for (std::size_t bits = 0; bits < values.size(); ++bits) {
      values[bits] = widen(format_of(of), bits);
    }
    return values;
  };
  static const Values halves = make(DType::f16);
  static const Values bfloats = make(DType::bf16);
  return type == DType::f16 ? halves : bfloats;
}

}  // namespace

double rounded(DType type, double value) {
  if (type == DType::f64) return value;
  if (type == DType::f32) return double{static_cast<float>(value)};
  if (value == 0 || !std::isfinite(value)) return value;
  const Format format = format_of(type);
  const int exponent = std::max(std::ilogb(value), format.min_exponent());
  // A power of two, so that dividing is exact and rint is the only rounding (to nearest even).
  const double spacing = std::ldexp(1.0, exponent - format.mantissa_bits);
  const double nearest = std::rint(value / spacing) * spacing;
  const bool beyond = std::abs(nearest) >= std::ldexp(1.0, format.max_exponent + 1);
  return beyond ? std::copysign(infinity, value) : nearest;
}

Values rounded(DType type, Values values) {
  for (double& value : values) value = rounded(type, value);
  return values;
}

std::uint64_t to_bits(DType type, double value) {
  if (type == DType::f64) return bit_cast<std::uint64_t>(value);
  if (type == DType::f32) return bit_cast<std::uint32_t>(static_cast<float>(value));
  return narrow(format_of(type), rounded(type, value));
}

double from_bits(DType type, std::uint64_t bits) {
  if (type == DType::f64) return bit_cast<double>(bits);
  if (type == DType::f32) return double{bit_cast<float>(static_cast<std::uint32_t>(bits))};
  return widen(format_of(type), bits);
}

std::vector<std::uint8_t> encode(DType type, const Values& values) {
  const std::size_t size = size_of(type);
  std::vector<std::uint8_t> bytes(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = to_bits(type, values[i]);
    std::memcpy(&bytes[i * size], &bits, size);  // little-endian, as every CUDA host
  }
  return bytes;
}

Values decode(DType type, const std::vector<std::uint8_t>& bytes) {
  const std::size_t size = size_of(type);
  // Of a 16-bit type every element is in a table: the sweeps decode a great many.
  const Values* const table = size == 2 ? &all_elements(type) : nullptr;
  Values values(bytes.size() / size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i * size], size);
    values[i] = table != nullptr ? (*table)[bits] : from_bits(type, bits);
  }
  return values;
}

DType accumulation_type(DType x) { return x == DType::f64 ? DType::f64 : DType::f32; }

}  // namespace fastnorm::test
