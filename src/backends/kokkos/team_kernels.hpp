/// The two passes over a row or a part of one, by a team of threads of any Kokkos space: what the
/// strategies of devices are made of.
#pragma once

#include "backends/kokkos/moments.hpp"
#include "backends/kokkos/normalization.hpp"

#include <Kokkos_Core.hpp>

#include <cfloat>
#include <cstdint>

namespace fastnorm::kokkos {

/// Elements that move as one: neighbouring threads take neighbouring packs.
template <int Width>
struct alignas(Width * sizeof(float)) Pack {
  float values[Width];
};

/// Reducer over Moments, for Kokkos::parallel_reduce.
template <class Space>
class MergeMoments {
 public:
  using reducer = MergeMoments;
  using value_type = Moments;
  using result_view_type = Kokkos::View<Moments, Space, Kokkos::MemoryUnmanaged>;

  KOKKOS_FUNCTION explicit MergeMoments(Moments& result) : result_(&result) {}
  KOKKOS_FUNCTION void join(Moments& into, const Moments& part) const { merge(into, part); }
  KOKKOS_FUNCTION void init(Moments& moments) const { moments = Moments(); }
  KOKKOS_FUNCTION Moments& reference() const { return *result_.data(); }
  KOKKOS_FUNCTION result_view_type view() const { return result_; }
  KOKKOS_FUNCTION bool references_scalar() const { return true; }

 private:
  result_view_type result_;
};

namespace team_kernels_detail {

/// Sums about the batch's own mean, which no outlier elsewhere can spoil. In Real = float; in
/// double if the squares leave a float's range.
template <class Real, int Count>
KOKKOS_FUNCTION Moments batch_moments(const float (&values)[Count]) {
  Real total = 0;
  for (const float value : values) total += static_cast<Real>(value);
  const Real centre = total / static_cast<Real>(Count);
  Real sum = 0;
  Real squares = 0;
  for (const float value : values) {
    const Real delta = static_cast<Real>(value) - centre;
    sum += delta;
    squares += delta * delta;
  }
  if constexpr (sizeof(Real) < sizeof(double)) {
    if (!(squares <= FLT_MAX)) return batch_moments<double>(values);
  }
  return moments_about(static_cast<double>(centre), Count, static_cast<double>(sum),
                       static_cast<double>(squares));
}

/// What thread `rank` of `threads` sees of `count` elements: every threads-th pack, `Unroll` of
/// them in flight.
template <int Width>
KOKKOS_FUNCTION Moments thread_moments(const float* x, std::int64_t count, std::int64_t rank,
                                       std::int64_t threads) {
  constexpr int unroll = 16 / Width;
  const auto* packs = reinterpret_cast<const Pack<Width>*>(x);
  const std::int64_t pack_count = count / Width;
  Moments moments;
  std::int64_t at = rank;
  for (; at + (unroll - 1) * threads < pack_count; at += unroll * threads) {
    float values[unroll * Width];
    for (int u = 0; u < unroll; ++u) {
      const Pack<Width> pack = packs[at + u * threads];
      for (int i = 0; i < Width; ++i) values[u * Width + i] = pack.values[i];
    }
    merge(moments, batch_moments<float>(values));
  }
  for (; at < pack_count; at += threads) {
    const Pack<Width> pack = packs[at];
    merge(moments, batch_moments<float>(pack.values));
  }
  for (std::int64_t i = pack_count * Width + rank; i < count; i += threads) {
    merge(moments, {1, static_cast<double>(x[i]), 0});
  }
  return moments;
}

/// a / b, in 32 bits where both fit: devices have no 64-bit division in hardware.
KOKKOS_INLINE_FUNCTION std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if ((a | b) >> 32 == 0) return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
  return a / b;
}

/// The line of channel after channel while the index goes up.
class ChannelWalk {
 public:
  KOKKOS_FUNCTION ChannelWalk(const Normalization& call, const Standardizer& standardizer,
                              std::int64_t first_channel, std::int64_t i)
      : call_(call), standardizer_(standardizer) {
    const std::int64_t run = quotient(i, call.affine.inner);
    channel_ = first_channel + run;
    left_ = (run + 1) * call.affine.inner - i;
    line_ = line();
  }

  KOKKOS_FUNCTION float next(float x) {
    if (left_ == 0) {
      ++channel_;
      left_ = call_.affine.inner;
      line_ = line();
    }
    --left_;
    return line_(x);
  }

 private:
  KOKKOS_FUNCTION Standardizer::Line line() const {
    return standardizer_.line(
        call_.gamma != nullptr ? static_cast<double>(call_.gamma[channel_]) : 1.0,
        call_.beta != nullptr ? static_cast<double>(call_.beta[channel_]) : 0.0);
  }

  const Normalization& call_;
  const Standardizer& standardizer_;
  std::int64_t channel_ = 0;
  std::int64_t left_ = 0;
  Standardizer::Line line_{};
};

}  // namespace team_kernels_detail

/// Moments of `count` elements, for every thread of the team. x is aligned to Width elements.
template <int Width, class Team>
KOKKOS_FUNCTION Moments team_moments(const Team& team, const float* x, std::int64_t count) {
  Moments total;
  const int threads = team.team_size();
  Kokkos::parallel_reduce(
      Kokkos::TeamThreadRange(team, threads),
      [&](int rank, Moments& mine) {
        merge(mine, team_kernels_detail::thread_moments<Width>(x, count, rank, threads));
      },
      MergeMoments<typename Team::execution_space>(total));
  return total;
}

/// Writes y for the elements [begin, end) of a row. They start aligned to Width elements in x and
/// y.
template <int Width, class Team>
KOKKOS_FUNCTION void team_apply(const Team& team, const Normalization& call,
                                const Standardizer& standardizer, std::int64_t row,
                                std::int64_t begin, std::int64_t end) {
  const std::int64_t first_channel = call.first_channel(row);
  const float* x = call.x + row * call.row_len + begin;
  float* y = call.y + row * call.row_len + begin;
  const std::int64_t packs = (end - begin) / Width;
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, packs), [&](std::int64_t at) {
    team_kernels_detail::ChannelWalk walk(call, standardizer, first_channel, begin + at * Width);
    const Pack<Width> in = reinterpret_cast<const Pack<Width>*>(x)[at];
    Pack<Width> out;
    for (int i = 0; i < Width; ++i) out.values[i] = walk.next(in.values[i]);
    reinterpret_cast<Pack<Width>*>(y)[at] = out;
  });
  const std::int64_t tail = packs * Width;
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, end - begin - tail), [&](std::int64_t i) {
    team_kernels_detail::ChannelWalk walk(call, standardizer, first_channel, begin + tail + i);
    y[tail + i] = walk.next(x[tail + i]);
  });
}

}  // namespace fastnorm::kokkos
