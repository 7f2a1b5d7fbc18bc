// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/cuda_spaces.hpp"

#include "backends/kokkos/error_text.hpp"
#include "backends/kokkos/runtime.hpp"

#include <cuda_runtime_api.h>

#include <exception>
#include <mutex>
#include <string>
#include <unordered_map>

namespace fastnorm::kokkos {
namespace {

/// A program that makes streams without end must not make spaces without end.
constexpr std::size_t max_spaces = 64;

/// Keyed by the handle: a space holds nothing else of a stream, so a handle that is used again for
/// another stream may find it.
struct Spaces {
  std::mutex mutex;
  std::unordered_map<cudaStream_t, Kokkos::Cuda> by_stream;
};

Spaces& spaces() {
  // Never destroyed: emptied when Kokkos is finalised, and at exit CUDA may be gone.
  static Spaces& all = []() -> Spaces& {
    auto* made = new Spaces;
    at_finalize([made] {
      const std::lock_guard lock(made->mutex);
      made->by_stream.clear();
    });
    return *made;
  }();
  return all;
}

}  // namespace

Result<Kokkos::Cuda> cuda_space(Stream stream) {
  const auto handle = static_cast<cudaStream_t>(stream.handle);
  Spaces& all = spaces();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.by_stream.find(handle); found != all.by_stream.end()) {
    return found->second;
  }
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(handle, &capture) != cudaSuccess) {
    static_cast<void>(
        cudaGetLastError());  // Another stream's capture forbids asking the default one.
    capture = cudaStreamCaptureStatusActive;
  }
  if (capture != cudaStreamCaptureStatusNone) {
    return Status(StatusCode::unsupported,
                  "kokkos-cuda must have run once on a stream before work on it is captured");
  }
  try {
    if (all.by_stream.size() >= max_spaces) all.by_stream.clear();
    return all.by_stream.emplace(handle, Kokkos::Cuda(handle)).first->second;
  } catch (const std::exception& error) {
    return Status(StatusCode::device_error,
                  std::string("Kokkos::Cuda for this stream: ") + text_of(error));
  }
}

}  // namespace fastnorm::kokkos
