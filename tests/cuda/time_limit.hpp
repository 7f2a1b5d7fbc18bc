// SPDX-License-Identifier: Apache-2.0
/// Waiting for what a bug may keep from ever happening.
#pragma once

#include "support/device_memory.hpp"

#include <fastnorm/types.hpp>

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace fastnorm::test {

template <class Condition>
bool happens_within(std::chrono::milliseconds limit, Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

/// Of all work that the stream has been given.
inline bool ends_within(std::chrono::milliseconds limit, Stream stream) {
  return happens_within(limit, [stream] {
    const cudaError_t state = cudaStreamQuery(static_cast<cudaStream_t>(stream.handle));
    if (state != cudaErrorNotReady) check_cuda(state, "cudaStreamQuery");
    return state == cudaSuccess;
  });
}

/// Ends the program where the work does not end: a kernel that hangs cannot be stopped from within,
/// and whatever a test releases at its end would wait for it.
inline void require_end(Stream stream, const char* what) {
  constexpr std::chrono::seconds limit{60};
  if (ends_within(limit, stream)) return;
  std::fprintf(stderr, "%s: not ended after %d s\n", what, static_cast<int>(limit.count()));
  std::abort();
}

}  // namespace fastnorm::test
