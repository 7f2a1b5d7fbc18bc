/// CUDA errors as Status.
#pragma once

#include <fastnorm/status.hpp>

#include <cuda_runtime_api.h>

#include <string>

namespace fastnorm::cuda {

inline Status to_status(cudaError_t error, const std::string& what) {
  if (error == cudaSuccess) return {};
  const StatusCode code =
      error == cudaErrorMemoryAllocation ? StatusCode::out_of_memory : StatusCode::device_error;
  return Status(code,
                what + ": " + cudaGetErrorName(error) + " (" + cudaGetErrorString(error) + ")");
}

}  // namespace fastnorm::cuda
