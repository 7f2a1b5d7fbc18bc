// SPDX-License-Identifier: Apache-2.0
/// What the strategies of kokkos-cuda share: teams and packs, their limits and their cost.
#pragma once

#include "backends/kokkos/cuda_spaces.hpp"
#include "backends/kokkos/error_text.hpp"
#include "backends/kokkos/pack.hpp"
#include "backends/kokkos/runtime.hpp"
#include "backends/kokkos/strategy.hpp"
#include "backends/kokkos/team_functors.hpp"
#include "backends/kokkos/traffic.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace fastnorm::kokkos {

inline constexpr std::array<int, 5> team_sizes{512, 256, 128, 64, 32};

/// Elements of x's type in the widest pack.
inline int widest_pack_of(const Problem& problem) {
  return with_dtype(problem.desc().x_type,
                    [](auto tag) { return widest_pack<typename decltype(tag)::type>; });
}

inline std::array<int, 2> vec_widths(const Problem& problem) {
  return {widest_pack_of(problem), 1};
}

inline Support supports_pack(const Problem& problem, int vec_width) {
  return one_of("vec_width", vec_width, vec_widths(problem));
}

/// Calls make(tag, std::integral_constant<int, width>) for x's type and a width that
/// supports_pack() has allowed.
template <class Make>
std::unique_ptr<const Executable> make_for(const Problem& problem, int vec_width,
                                           const Make& make) {
  return with_dtype(problem.desc().x_type, [&](auto tag) -> std::unique_ptr<const Executable> {
    if (vec_width == 1) return make(tag, std::integral_constant<int, 1>{});
    return make(tag, std::integral_constant<int, widest_pack<typename decltype(tag)::type>>{});
  });
}

/// Whether all tensors that move as packs begin at a pack's boundary.
inline bool aligned_to_pack(const Normalization& call, const NormArgs& args, int width) {
  const auto is_aligned = [width](const void* tensor, DType type) {
    return reinterpret_cast<std::uintptr_t>(tensor) %
               (size_of(type) * static_cast<std::size_t>(width)) ==
           0;
  };
  return is_aligned(args.x, call.x_type) && is_aligned(args.residual, call.x_type) &&
         is_aligned(args.sum, call.x_type) && is_aligned(args.y, call.y_type);
}

/// What a pass over items costs, each done by `threads` threads of a device that has as many of
/// them at a time as there is room for. The constants are fitted to an H200.
struct DevicePass {
  double items;
  double memory_bytes;  ///< An item's, from and to memory.
  double waiting_us;    ///< For an item's loads and for its threads to meet, one after the other.
  int threads;

  double resident(const DeviceInfo& device) const {
    const int of_processor =
        std::min(device.max_threads_per_processor, max_team_threads * teams_of_max_threads) /
        threads;
    return static_cast<double>(device.processors) * std::max(of_processor, 1);
  }

  /// Microseconds, without the launch.
  double us(const DeviceInfo& device) const {
    const double bytes_per_us =
        0.9e3 * static_cast<double>(device.memory_gb_s > 0 ? device.memory_gb_s : 1000);
    const double waves = std::max(items / resident(device), 1e-9);
    // Items that are all there at once share the bandwidth to the end; the last of several waves
    // leave some of it.
    const double uneven_end = waves > 1 ? 1 + 0.1 / waves : 1.0;
    const double streaming = items * memory_bytes / bytes_per_us * uneven_end;
    return std::hypot(streaming, std::ceil(waves) * waiting_us);  // Each hides behind the other.
  }
};

inline constexpr double launch_us = 3;

/// Until a load's values are there and used.
inline constexpr double memory_load_us = 1.0;
inline constexpr double cached_load_us = 0.4;

/// Elements that a thread has under way where it reads, and where it writes.
struct UnderWay {
  int reading;
  int writing;
  double arithmetic_us = 0;  ///< Of a round of them, by as many threads as there is room for.

  double load_us(bool cached) const {
    return std::max(cached ? cached_load_us : memory_load_us, arithmetic_us);
  }
};

/// What it takes to work out the places of a round of elements, one by one.
inline constexpr double places_us = 1.2;

/// That of a thread of DensePasses.
inline UnderWay packs_in_flight(const Problem& problem, int width) {
  const std::int64_t inner = problem.affine().inner;
  const int written = inner == 1           ? packs_with_channels(width)
                      : inner % width == 0 ? packs_under_way(width)
                                           : 1;
  return {width * packs_under_way(width), width * written};
}

/// Rounds of loads of a run by so many threads, each of which has so many elements under way.
inline double load_rounds(std::int64_t elements, int threads, int under_way) {
  return std::ceil(static_cast<double>(elements) / (static_cast<double>(threads) * under_way));
}

/// What a team does beside its loads: finds its place, merges its threads' moments (in double, each
/// for itself), makes a standardizer of them.
inline double exchange_us(int team_size) { return 2 + team_size / 512.0; }

/// Whether the L2 still has what was read once while so many bytes passed.
inline bool found_again(const DeviceInfo& device, double bytes) {
  return bytes <= 0.5 * static_cast<double>(device.l2_bytes);
}

/// Of a kernel whose `threads` threads a row read it twice, and move `excess` times its bytes.
inline double two_reads_us(const Problem& problem, const DeviceInfo& device, int threads,
                           const UnderWay& under_way, double exchange_us, double excess) {
  const double read_bytes = excess * input_bytes(problem, problem.row_len());
  const double written_bytes = excess * output_bytes(problem, problem.row_len());
  DevicePass pass{static_cast<double>(problem.rows()), 0, 0, threads};
  const double at_once = std::min(pass.items, pass.resident(device));
  const bool cached = found_again(device, at_once * read_bytes);
  pass.memory_bytes = written_bytes + (cached ? 1.0 : 2.0) * read_bytes;
  pass.waiting_us =
      load_rounds(problem.row_len(), threads, under_way.reading) * under_way.load_us(false) +
      load_rounds(problem.row_len(), threads, under_way.writing) * under_way.load_us(cached) +
      exchange_us;
  return launch_us + pass.us(device);
}

/// Enqueues a functor over a league of teams on the caller's stream.
template <class Functor>
Status dispatch_teams(const char* label, const TeamPolicy<Kokkos::Cuda>& policy,
                      const Functor& functor) {
  try {
    Kokkos::parallel_for(label, policy, functor);
    return {};
  } catch (const std::exception& error) {
    return Status(StatusCode::device_error,
                  std::string("Kokkos::parallel_for failed: ") + text_of(error));
  }
}

/// Kernels of one pack width; single elements take what is not aligned for it.
template <class C>
class TeamStrategy : public Strategy<C> {
  Result<std::unique_ptr<const Executable>> make_fallback(const Problem& problem,
                                                          const DeviceInfo& device,
                                                          const C& config) const final {
    if (config.vec_width == 1) return std::unique_ptr<const Executable>();
    C narrow = config;
    narrow.vec_width = 1;
    return this->prepare(problem, device, Config::of(narrow));
  }
};

}  // namespace fastnorm::kokkos
