// SPDX-License-Identifier: Apache-2.0
/// What both strategies of kokkos-cuda share: teams and packs, their limits and their cost.
#pragma once

#include "backends/kokkos/cuda_spaces.hpp"
#include "backends/kokkos/runtime.hpp"
#include "backends/kokkos/strategy.hpp"
#include "backends/kokkos/team_functors.hpp"
#include "backends/kokkos/traffic.hpp"

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace fastnorm::kokkos {

inline constexpr std::array<int, 3> team_sizes{128, 256, max_team_size};
inline constexpr std::array<int, 2> vec_widths{4, 1};

inline Support supports_teams(int team_size, int vec_width) {
  Support support = one_of("team_size", team_size, team_sizes);
  return support.ok ? one_of("vec_width", vec_width, vec_widths) : support;
}

/// Calls make(std::integral_constant<int, width>); `width` is one of vec_widths.
template <class Make>
auto with_vec_width(int width, Make&& make) {
  if (width == 4) return std::forward<Make>(make)(std::integral_constant<int, 4>{});
  return std::forward<Make>(make)(std::integral_constant<int, 1>{});
}

/// Wide packs need every row to start at a pack's boundary.
inline int widest_pack(const Problem& problem) {
  return problem.rows() == 1 || problem.row_len() % 4 == 0 ? 4 : 1;
}

/// Whether all that moves as packs starts at a pack's boundary.
inline bool aligned_to_pack(const Normalization& call, const NormArgs& args, int width) {
  const auto is_aligned = [width](const void* tensor, DType type) {
    return reinterpret_cast<std::uintptr_t>(tensor) %
               (size_of(type) * static_cast<std::size_t>(width)) ==
           0;
  };
  return is_aligned(args.x, call.x_type) && is_aligned(args.residual, call.x_type) &&
         is_aligned(args.sum, call.x_type) && is_aligned(args.y, call.y_type);
}

/// Microseconds of one kernel over `items` equal parts of `bytes` each.
inline double kernel_us(const DeviceInfo& device, std::int64_t items, double bytes, int team_size) {
  const double launch = 3.0;
  const double bandwidth =
      device.memory_gb_s > 0 ? static_cast<double>(device.memory_gb_s) * 1e3 : 1e6;
  // A team streams at most its share of a full device, and a few teams cannot use all of it.
  const double teams =
      static_cast<double>(device.processors) * device.max_threads_per_processor / team_size / 2;
  const double waves = static_cast<double>(items) / teams;
  const double full = bytes * static_cast<double>(items) / bandwidth;
  return launch + (waves >= 1 ? full : full / std::max(waves, 1e-6));
}

/// Enqueues a functor over a league of teams on the caller's stream.
template <class Functor>
Status dispatch_teams(const char* label, const Kokkos::Cuda& space, std::int64_t items,
                      int team_size, const Functor& functor) {
  try {
    Kokkos::parallel_for(label, TeamPolicy<Kokkos::Cuda>(space, league_size(items), team_size),
                         functor);
    return {};
  } catch (const std::exception& error) {
    return Status(StatusCode::device_error,
                  std::string("Kokkos::parallel_for failed: ") + error.what());
  }
}

/// Kernels of one pack width; narrower packs take what is not aligned for it.
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
