/// The two passes over a contiguous part of a row, by one host thread.
///
/// Written so that the compiler vectorises them at -O3: it may not reorder a plain sum of floats,
/// so a sum is kept in `Lanes` independent accumulators, which also shortens the chains of
/// roundings.
#pragma once

#include "backends/kokkos/moments.hpp"
#include "backends/kokkos/normalization.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fastnorm::kokkos {

namespace row_kernels_detail {

/// Sums the lanes pairwise, in vectors as long as there are enough of them.
template <int Lanes>
float fold(float (&lanes)[Lanes]) {
  for (int width = Lanes / 2; width > 0; width /= 2) {
    for (int lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

/// For squares beyond a float's range (and for blocks with NaN or Inf, which come out as NaN).
inline Moments block_moments_in_double(const float* x, std::int64_t count) {
  double total = 0;
  for (std::int64_t i = 0; i < count; ++i) total += static_cast<double>(x[i]);
  const double centre = total / static_cast<double>(count);
  double sum = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double delta = static_cast<double>(x[i]) - centre;
    sum += delta;
    squares += delta * delta;
  }
  return moments_about(centre, static_cast<double>(count), sum, squares);
}

/// Two passes over a block that stays in the first-level cache: its mean, then sums about that
/// mean. The centre being the block's own, no outlier elsewhere can spoil it.
template <int Lanes>
Moments block_moments(const float* x, std::int64_t count) {
  const std::int64_t whole = count - count % Lanes;
  const auto left = static_cast<int>(count - whole);

  float total[Lanes] = {};
  for (std::int64_t i = 0; i < whole; i += Lanes) {
    for (int lane = 0; lane < Lanes; ++lane) total[lane] += x[i + lane];
  }
  for (int lane = 0; lane < left; ++lane) total[lane] += x[whole + lane];
  const float centre = fold(total) / static_cast<float>(count);

  float sum[Lanes] = {};
  float squares[Lanes] = {};
  for (std::int64_t i = 0; i < whole; i += Lanes) {
    for (int lane = 0; lane < Lanes; ++lane) {
      const float delta = x[i + lane] - centre;
      sum[lane] += delta;
      squares[lane] += delta * delta;
    }
  }
  for (int lane = 0; lane < left; ++lane) {
    const float delta = x[whole + lane] - centre;
    sum[lane] += delta;
    squares[lane] += delta * delta;
  }
  const float all_squares = fold(squares);
  if (!std::isfinite(all_squares)) return block_moments_in_double(x, count);
  return moments_about(static_cast<double>(centre), static_cast<double>(count),
                       static_cast<double>(fold(sum)), static_cast<double>(all_squares));
}

/// y = line(x) for channels of a single element, where gamma and beta change with every one.
inline void apply_per_element(const Standardizer& standardizer, const float* x, float* y,
                              std::int64_t count, const float* gamma, const float* beta) {
  const Standardizer::Line plain = standardizer.line(1.0, 0.0);
  for (std::int64_t i = 0; i < count; ++i) {
    const float scale = gamma != nullptr ? gamma[i] : 1.0F;
    const float shift = beta != nullptr ? beta[i] : 0.0F;
    y[i] = plain(x[i]) * scale + shift;
  }
}

}  // namespace row_kernels_detail

/// Moments of `count` elements, block by block.
template <int Lanes>
Moments part_moments(const float* x, std::int64_t count, std::int64_t block) {
  using row_kernels_detail::block_moments;
  // Clearing and folding lanes that stay empty would cost more than the elements do.
  if (count < Lanes) return block_moments<8>(x, count);
  Moments moments;
  for (std::int64_t i = 0; i < count; i += block) {
    merge(moments, block_moments<Lanes>(x + i, std::min(block, count - i)));
  }
  return moments;
}

/// Writes y for the elements [begin, end) of a row.
inline void apply_part(const Normalization& call, const Standardizer& standardizer,
                       std::int64_t row, std::int64_t begin, std::int64_t end) {
  const float* x = call.x + row * call.row_len;
  float* y = call.y + row * call.row_len;
  if (call.gamma == nullptr && call.beta == nullptr) {
    const Standardizer::Line line = standardizer.line(1.0, 0.0);
    for (std::int64_t i = begin; i < end; ++i) y[i] = line(x[i]);
    return;
  }
  const std::int64_t inner = call.affine.inner;
  std::int64_t channel = call.first_channel(row) + begin / inner;
  if (inner == 1) {
    row_kernels_detail::apply_per_element(standardizer, x + begin, y + begin, end - begin,
                                          call.gamma != nullptr ? call.gamma + channel : nullptr,
                                          call.beta != nullptr ? call.beta + channel : nullptr);
    return;
  }
  std::int64_t run_end = (begin / inner + 1) * inner;
  for (std::int64_t i = begin; i < end; run_end += inner, ++channel) {
    const Standardizer::Line line =
        standardizer.line(call.gamma != nullptr ? static_cast<double>(call.gamma[channel]) : 1.0,
                          call.beta != nullptr ? static_cast<double>(call.beta[channel]) : 0.0);
    for (const std::int64_t stop = std::min(run_end, end); i < stop; ++i) y[i] = line(x[i]);
  }
}

}  // namespace fastnorm::kokkos
