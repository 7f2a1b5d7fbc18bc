// SPDX-License-Identifier: Apache-2.0
/// The two passes over a row or a part of one, by a team of threads of any Kokkos space: what the
/// strategies of devices are made of.
#pragma once

#include "backends/kokkos/epilogue.hpp"
#include "backends/kokkos/moments.hpp"
#include "backends/kokkos/row_input.hpp"

#include <Kokkos_Core.hpp>

#include <cfloat>
#include <cstdint>

namespace fastnorm::kokkos {

/// Elements that move as one: neighbouring threads take neighbouring packs.
template <class T, int Width>
struct alignas(Width * sizeof(T)) Pack {
  T values[Width];
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

/// h of a run of elements of the call, pack by pack.
template <class T>
class TeamInput {
 public:
  KOKKOS_FUNCTION TeamInput(const Normalization& call, std::int64_t first)
      : x_(static_cast<const T*>(call.tensors.x) + first),
        residual_(call.residual == Residual::none
                      ? nullptr
                      : static_cast<const T*>(call.tensors.residual) + first),
        form_(call.residual) {}

  /// Element `at` of the run and those after it, aligned to Width elements.
  template <int Width>
  KOKKOS_FUNCTION void load(std::int64_t at, Accumulator<T>* h) const {
    const Pack<T, Width> x = *reinterpret_cast<const Pack<T, Width>*>(x_ + at);
    if (residual_ == nullptr) return widen_run(x.values, Width, h);
    const Pack<T, Width> residual = *reinterpret_cast<const Pack<T, Width>*>(residual_ + at);
    sum_run(x.values, residual.values, form_, Width, h);
  }

 private:
  const T* x_;
  const T* residual_;
  Residual form_;
};

namespace team_kernels_detail {

/// Sums about the batch's own mean, which no outlier elsewhere can spoil, or about 0 where that is
/// the mean. In Real = float; in double if the squares leave a float's range.
template <class Real, class Acc, int Count>
KOKKOS_FUNCTION Moments batch_moments(Statistics statistics, const Acc (&values)[Count]) {
  Real centre = 0;
  if (statistics == Statistics::mean_variance) {
    for (const Acc value : values) centre += static_cast<Real>(value);
    centre /= static_cast<Real>(Count);
  }
  Real sum = 0;
  Real squares = 0;
  for (const Acc value : values) {
    const Real delta = static_cast<Real>(value) - centre;
    sum += delta;
    squares += delta * delta;
  }
  if constexpr (sizeof(Real) < sizeof(double)) {
    if (!(squares <= FLT_MAX)) return batch_moments<double>(statistics, values);
  }
  if (statistics == Statistics::mean_square) return {Count, 0, static_cast<double>(squares)};
  return moments_about(static_cast<double>(centre), Count, static_cast<double>(sum),
                       static_cast<double>(squares));
}

/// What thread `rank` of `threads` sees of `count` elements: every threads-th pack, `unroll` of
/// them in flight.
template <int Width, class T>
KOKKOS_FUNCTION Moments thread_moments(const TeamInput<T>& input, Statistics statistics,
                                       std::int64_t count, std::int64_t rank,
                                       std::int64_t threads) {
  using Acc = Accumulator<T>;
  constexpr int unroll = 16 / Width;
  const std::int64_t pack_count = count / Width;
  Moments moments;
  std::int64_t at = rank;
  for (; at + (unroll - 1) * threads < pack_count; at += unroll * threads) {
    Acc h[unroll * Width];
    for (int u = 0; u < unroll; ++u) {
      input.template load<Width>((at + u * threads) * Width, h + u * Width);
    }
    merge(moments, batch_moments<Acc>(statistics, h));
  }
  for (; at < pack_count; at += threads) {
    Acc h[Width];
    input.template load<Width>(at * Width, h);
    merge(moments, batch_moments<Acc>(statistics, h));
  }
  for (std::int64_t i = pack_count * Width + rank; i < count; i += threads) {
    Acc h[1];
    input.template load<1>(i, h);
    merge(moments, batch_moments<Acc>(statistics, h));
  }
  return moments;
}

/// a / b, in 32 bits where both fit: devices have no 64-bit division in hardware.
KOKKOS_INLINE_FUNCTION std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if ((a | b) >> 32 == 0) return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
  return a / b;
}

/// The line of channel after channel while the index goes up.
template <class Acc>
class ChannelWalk {
 public:
  KOKKOS_FUNCTION ChannelWalk(const Normalization& call, const Standardizer<Acc>& standardizer,
                              std::int64_t row, std::int64_t i)
      : call_(call), standardizer_(standardizer), row_(row) {
    const std::int64_t run = quotient(i, call.affine.inner);
    channel_ = run;
    left_ = (run + 1) * call.affine.inner - i;
    line_ = line();
  }

  KOKKOS_FUNCTION Acc next(Acc h) {
    if (left_ == 0) {
      ++channel_;
      left_ = call_.affine.inner;
      line_ = line();
    }
    --left_;
    return line_(h);
  }

 private:
  using Line = typename Standardizer<Acc>::Line;

  KOKKOS_FUNCTION Line line() const {
    Acc factor = 1;
    Acc offset = 0;
    read_channels(call_, row_, channel_, 1, &factor, &offset);
    return standardizer_.line(factor, offset);
  }

  const Normalization& call_;
  const Standardizer<Acc>& standardizer_;
  std::int64_t row_ = 0;
  std::int64_t channel_ = 0;  ///< Of the row.
  std::int64_t left_ = 0;
  Line line_{};
};

/// Stores values as elements of a tensor of that type, aligned to Width elements.
template <int Width, class Acc>
KOKKOS_FUNCTION void store_pack(DType type, const Acc (&values)[Width], void* tensor,
                                std::int64_t at) {
  with_element<Acc>(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    Pack<T, Width> pack;
    narrow_run(values, Width, pack.values);
    *reinterpret_cast<Pack<T, Width>*>(static_cast<T*>(tensor) + at) = pack;
  });
}

/// y, and the sum where it is wanted, of Width elements from element i of the row on.
template <int Width, class T>
KOKKOS_FUNCTION void apply_pack(const Normalization& call,
                                const Standardizer<Accumulator<T>>& standardizer, std::int64_t row,
                                std::int64_t i) {
  using Acc = Accumulator<T>;
  const std::int64_t first = row * call.row_len;
  Acc values[Width];
  TeamInput<T>(call, first).template load<Width>(i, values);
  if (call.tensors.sum != nullptr) {
    store_pack<Width>(call.x_type, values, call.tensors.sum, first + i);
  }
  const auto map = [&](const Standardizer<Acc>& of_row, const Acc* from, Acc* to) {
    ChannelWalk<Acc> walk(call, of_row, row, i);
    for (int k = 0; k < Width; ++k) to[k] = walk.next(from[k]);
  };
  apply_epilogue(call, standardizer, map, values, Width, values);
  store_pack<Width>(call.y_type, values, call.tensors.y, first + i);
}

}  // namespace team_kernels_detail

/// Moments of the elements [begin, end) of a row, for every thread of the team. They start aligned
/// to Width elements.
template <class T, int Width, class Team>
KOKKOS_FUNCTION Moments team_moments(const Team& team, const Normalization& call, std::int64_t row,
                                     std::int64_t begin, std::int64_t end) {
  Moments total;
  const TeamInput<T> input(call, row * call.row_len + begin);
  const int threads = team.team_size();
  Kokkos::parallel_reduce(
      Kokkos::TeamThreadRange(team, threads),
      [&](int rank, Moments& mine) {
        merge(mine, team_kernels_detail::thread_moments<Width>(input, call.statistics, end - begin,
                                                               rank, threads));
      },
      MergeMoments<typename Team::execution_space>(total));
  return total;
}

/// Writes the outputs of the elements [begin, end) of a row. They start aligned to Width elements
/// in every tensor of the call.
template <class T, int Width, class Team>
KOKKOS_FUNCTION void team_apply(const Team& team, const Normalization& call,
                                const Standardizer<Accumulator<T>>& standardizer, std::int64_t row,
                                std::int64_t begin, std::int64_t end) {
  using team_kernels_detail::apply_pack;
  const std::int64_t packs = (end - begin) / Width;
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, packs), [&](std::int64_t at) {
    apply_pack<Width, T>(call, standardizer, row, begin + at * Width);
  });
  const std::int64_t tail = begin + packs * Width;
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, end - tail), [&](std::int64_t i) {
    apply_pack<1, T>(call, standardizer, row, tail + i);
  });
}

}  // namespace fastnorm::kokkos
