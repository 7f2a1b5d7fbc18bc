// SPDX-License-Identifier: Apache-2.0
/// Test data that a host and a device compute alike, element by element and bit by bit.
#pragma once

#include "measure/elements.hpp"

#include <cstdint>
#include <limits>

namespace fastnorm::measure {

/// The finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
constexpr std::uint64_t mix_bits(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// How the rows of a tensor take turns in memory: `width` places of one, as many of the next, and
/// after `period` places the first again.
struct Turns {
  std::int64_t period = std::numeric_limits<std::int64_t>::max();
  std::int64_t width = std::numeric_limits<std::int64_t>::max();

  constexpr std::int64_t of(std::int64_t place) const noexcept { return place % period / width; }
  /// Where the turn that the place belongs to has ended.
  constexpr std::int64_t end_after(std::int64_t place) const noexcept {
    const std::int64_t of_width = width - place % period % width;
    const std::int64_t of_period = period - place % period;
    return place + (of_width < of_period ? of_width : of_period);
  }
};

/// What the random tensor `seed` has at `place`, where the row with this turn lies: roughly normal
/// (the sum of four uniform values) with a standard deviation near 1.15 and an offset in
/// [-0.5, 1.5), of which one half changes every 4096 places and the other with the turn. The
/// offset makes rows, and parts of rows, differ in their means: with identically distributed
/// elements a kernel that merges its partial statistics wrongly, or takes those of a neighbour,
/// would still be close to right. All arithmetic is exact, so that no compiler's choice of
/// instructions changes a bit.
constexpr float random_value(std::uint64_t seed, std::int64_t place, std::int64_t turn) noexcept {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
  const auto position = static_cast<std::uint64_t>(place);
  const std::uint64_t bits = mix_bits(seed + golden * (position + 1));
  const std::uint64_t of_segment = mix_bits(~seed + golden * (position >> 12));
  const std::uint64_t of_turn = mix_bits(~seed - golden * (static_cast<std::uint64_t>(turn) + 1));
  const auto sum = static_cast<std::int32_t>((bits & 0xffff) + ((bits >> 16) & 0xffff) +
                                             ((bits >> 32) & 0xffff) + (bits >> 48)) -
                   2 * 0xffff;
  const auto offset =
      static_cast<std::int32_t>((of_segment & 0x7fff) + (of_turn & 0x7fff)) - 0x4000;
  // Five more bits below fill the mantissa: data with zeros there would round too rarely.
  const auto low = static_cast<std::int32_t>((bits * golden) >> 59);
  return static_cast<float>((sum + offset) * 32 + low) * 0x1p-20f;
}

/// The same in a tensor of elements T: rounded to nearest even.
template <class T>
constexpr T random_element(std::uint64_t seed, std::int64_t place, std::int64_t turn) noexcept {
  return narrow<T>(static_cast<double>(random_value(seed, place, turn)));
}

}  // namespace fastnorm::measure
