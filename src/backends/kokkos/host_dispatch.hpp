// SPDX-License-Identifier: Apache-2.0
/// Runs loops on the threads of Kokkos's host space, whoever calls and from wherever.
#pragma once

#include "backends/kokkos/error_text.hpp"
#include "backends/kokkos/forked_child.hpp"
#include "backends/kokkos/parallel_region.hpp"
#include "backends/kokkos/runtime.hpp"

#include <fastnorm/status.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <type_traits>

namespace fastnorm::kokkos {

using HostSpace = Kokkos::DefaultHostExecutionSpace;

namespace host_dispatch_detail {

/// Dispatches to one pool of threads share its state and must not overlap, which Kokkos ensures by
/// itself since 4.4 only. Serial has no pool, and its callers need not wait for each other.
std::unique_lock<std::mutex> lock_pool();

/// The instance that the library dispatches on. One is kept because making one allocates.
const HostSpace& instance();

#ifdef KOKKOS_ENABLE_THREADS
/// This space throws, before it starts anything, if called by another thread than the one that
/// initialised it, or inside its own loops.
inline constexpr bool refuses_by_exception = std::is_same_v<HostSpace, Kokkos::Threads>;
#else
inline constexpr bool refuses_by_exception = false;
#endif

}  // namespace host_dispatch_detail

/// Calls body(i) for 0 <= i < count and returns when all are done. A single one is the caller's,
/// and so are all inside a parallel region, and in the child of a fork(). A `label` of at most 15
/// characters costs no allocation. Errors: device_error.
template <class Body>
Status for_each(const char* label, std::int64_t count, const Body& body) {
  using Range = Kokkos::RangePolicy<HostSpace, Kokkos::IndexType<std::int64_t>>;
  namespace detail = host_dispatch_detail;
  if (count > 1 && !inside_parallel_region() && !in_forked_child()) {
    try {
      const auto lock = detail::lock_pool();
      // A chunk of its own choice is worked out from a new instance, which allocates.
      const Range range(detail::instance(), 0, count, Kokkos::ChunkSize(1));
      Kokkos::parallel_for(label, range, body);
      return {};
    } catch (const std::exception& error) {
      if (!detail::refuses_by_exception) {
        return Status(StatusCode::device_error,
                      std::string("Kokkos::parallel_for failed: ") + text_of(error));
      }
    }
  }
  for (std::int64_t i = 0; i < count; ++i) body(i);
  return {};
}

/// Tasks that are next to each other, of a count cut into equal shares, but for one task.
template <class Body>
struct EachShare {
  Body body;
  std::int64_t count;
  std::int64_t shares;

  void operator()(std::int64_t share) const {
    const std::int64_t least = count / shares;
    const std::int64_t larger = count % shares;  // Shares with one more, which come first.
    const std::int64_t begin = share * least + std::min(share, larger);
    body(begin, begin + least + (share < larger ? 1 : 0));
  }
};

/// Calls body(begin, end) for `shares` parts of [0, count), fewer where there are not as many
/// tasks. With one share a thread, a thread has the same one in every call.
template <class Body>
Status for_each_share(const char* label, std::int64_t count, std::int64_t shares,
                      const Body& body) {
  const std::int64_t used = std::min(count, shares);
  return for_each(label, used, EachShare<Body>{body, count, used});
}

}  // namespace fastnorm::kokkos
