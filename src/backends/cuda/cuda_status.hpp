// SPDX-License-Identifier: Apache-2.0
/// CUDA errors as Status.
#pragma once

#include <fastnorm/status.hpp>

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

namespace fastnorm::cuda {

/// The code says apart what another kernel may still do: memory that is lacking, and blocks that
/// wait for each other where the device has no room for all of them (`unsupported`).
inline StatusCode code_of(cudaError_t error) noexcept {
  switch (error) {
    case cudaErrorMemoryAllocation:
      return StatusCode::out_of_memory;
    case cudaErrorCooperativeLaunchTooLarge:
    case cudaErrorInvalidClusterSize:
      return StatusCode::unsupported;
    default:
      return StatusCode::device_error;
  }
}

/// `what` was being done. An error that can be cleared is: it is reported here, and the caller's
/// next CUDA call shall not meet it again. Success allocates nothing.
inline Status to_status(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return {};
  static_cast<void>(cudaGetLastError());
  return Status(code_of(error), std::string(what) + ": " + cudaGetErrorName(error) + " (" +
                                    cudaGetErrorString(error) + ")");
}

}  // namespace fastnorm::cuda
