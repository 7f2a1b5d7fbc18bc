// SPDX-License-Identifier: Apache-2.0
/// The moments of a contiguous part of a row, by one host thread.
///
/// Written so that the compiler vectorises it at -O3: it may not reorder a plain sum of floats, so
/// a sum is kept in `Lanes` independent accumulators, which also shortens the chains of roundings.
#pragma once

#include "backends/kokkos/isa.hpp"
#include "backends/kokkos/moments.hpp"
#include "backends/kokkos/prefetch.hpp"
#include "core/problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

/// The largest statistics block.
inline constexpr std::int64_t max_block = 4096;

namespace row_moments_detail {

/// Sums the lanes pairwise, in vectors as long as there are enough of them: each width is known
/// when it is compiled, or the last ones would go one by one through memory.
template <int Lanes, class Acc>
Acc fold(Acc (&lanes)[Lanes]) {
  if constexpr (Lanes == 1) {
    return lanes[0];
  } else {
    constexpr int half = Lanes / 2;
    Acc sums[half];
    for (int lane = 0; lane < half; ++lane) sums[lane] = lanes[lane] + lanes[lane + half];
    return fold(sums);
  }
}

/// For squares beyond a float's range (and for blocks with NaN or Inf, which come out as NaN).
inline Moments moments_in_double(const float* h, std::int64_t count) {
  double total = 0;
  for (std::int64_t i = 0; i < count; ++i) total += static_cast<double>(h[i]);
  const double centre = total / static_cast<double>(count);
  double sum = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double delta = static_cast<double>(h[i]) - centre;
    sum += delta;
    squares += delta * delta;
  }
  return moments_about(centre, static_cast<double>(count), sum, squares);
}
inline double squares_in_double(const float* h, std::int64_t count) {
  double squares = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    squares += static_cast<double>(h[i]) * static_cast<double>(h[i]);
  }
  return squares;
}

/// Two passes over a block that stays in the first-level cache: its mean, then sums about that
/// mean. The centre being the block's own, no outlier elsewhere can spoil it.
template <int Lanes, class Acc>
Moments block_variance(const Acc* h, std::int64_t count) {
  const std::int64_t whole = count - count % Lanes;
  const auto left = static_cast<int>(count - whole);

  Acc total[Lanes] = {};
  for (std::int64_t i = 0; i < whole; i += Lanes) {
    for (int lane = 0; lane < Lanes; ++lane) total[lane] += h[i + lane];
  }
  for (int lane = 0; lane < left; ++lane) total[lane] += h[whole + lane];
  const Acc centre = fold(total) / static_cast<Acc>(count);

  // The next block comes as this one is gone over again, which asks nothing of the memory.
  Acc sum[Lanes] = {};
  Acc squares[Lanes] = {};
  for (std::int64_t i = 0; i < whole; i += Lanes) {
    prefetch(h + count + i, Lanes * sizeof(Acc));
    for (int lane = 0; lane < Lanes; ++lane) {
      const Acc delta = h[i + lane] - centre;
      sum[lane] += delta;
      squares[lane] += delta * delta;
    }
  }
  for (int lane = 0; lane < left; ++lane) {
    const Acc delta = h[whole + lane] - centre;
    sum[lane] += delta;
    squares[lane] += delta * delta;
  }
  const Acc all_squares = fold(squares);
  if constexpr (std::is_same_v<Acc, float>) {
    if (!std::isfinite(all_squares)) return moments_in_double(h, count);
  }
  return moments_about(static_cast<double>(centre), static_cast<double>(count),
                       static_cast<double>(fold(sum)), static_cast<double>(all_squares));
}

/// The squares about 0, with a mean of 0: moments that merge like any others.
template <int Lanes, class Acc>
Moments block_mean_square(const Acc* h, std::int64_t count) {
  const std::int64_t whole = count - count % Lanes;
  const auto left = static_cast<int>(count - whole);
  Acc squares[Lanes] = {};
  for (std::int64_t i = 0; i < whole; i += Lanes) {
    for (int lane = 0; lane < Lanes; ++lane) squares[lane] += h[i + lane] * h[i + lane];
  }
  for (int lane = 0; lane < left; ++lane) squares[lane] += h[whole + lane] * h[whole + lane];
  auto all_squares = static_cast<double>(fold(squares));
  if constexpr (std::is_same_v<Acc, float>) {
    if (!std::isfinite(all_squares)) all_squares = squares_in_double(h, count);
  }
  return {static_cast<double>(count), 0, all_squares};
}

template <int Lanes, class Acc>
Moments moments_in_lanes(Statistics statistics, const Acc* h, std::int64_t count) {
  return statistics == Statistics::mean_variance ? block_variance<Lanes>(h, count)
                                                 : block_mean_square<Lanes>(h, count);
}

/// Clearing and folding lanes that stay empty would cost more than a few elements do.
template <int Lanes, class Acc>
Moments block_moments(Statistics statistics, const Acc* h, std::int64_t count) {
  if (count < 8) return moments_in_lanes<1>(statistics, h, count);
  if (count < Lanes) return moments_in_lanes<8>(statistics, h, count);
  return moments_in_lanes<Lanes>(statistics, h, count);
}

}  // namespace row_moments_detail

/// Moments of `count` elements, block by block.
template <int Lanes, class Acc>
Moments part_moments(Statistics statistics, const Acc* h, std::int64_t count, std::int64_t block) {
  using row_moments_detail::block_moments;
  Moments moments;
  for (std::int64_t i = 0; i < count; i += block) {
    merge(moments, block_moments<Lanes>(statistics, h + i, std::min(block, count - i)));
  }
  return moments;
}

/// The same of the elements [begin, end) of a row that do not lie in memory as they are computed
/// with: read(first, count, buffer) says where they are then.
template <int Lanes, class Acc, class Read>
Moments moments_of_read(Statistics statistics, std::int64_t begin, std::int64_t end,
                        std::int64_t block, const Read& read) {
  Acc buffer[max_block];
  Moments moments;
  for (std::int64_t i = begin; i < end; i += block) {
    const std::int64_t count = std::min(block, end - i);
    const Acc* h = read(i, count, buffer);
    merge(moments, part_moments<Lanes>(statistics, h, count, block));
  }
  return moments;
}

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
