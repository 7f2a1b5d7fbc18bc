/// CUDA errors as Status.
#pragma once

#include <fastnorm/status.hpp>

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

namespace fastnorm::cuda {

/// `what` was being done. An error that can be cleared is: it is reported here, and the caller's
/// next CUDA call shall not meet it again. Success allocates nothing.
inline Status to_status(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return {};
  static_cast<void>(cudaGetLastError());
  const StatusCode code =
      error == cudaErrorMemoryAllocation ? StatusCode::out_of_memory : StatusCode::device_error;
  return Status(code, std::string(what) + ": " + cudaGetErrorName(error) + " (" +
                          cudaGetErrorString(error) + ")");
}

}  // namespace fastnorm::cuda
