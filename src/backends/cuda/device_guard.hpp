// SPDX-License-Identifier: Apache-2.0
/// Makes a device current for a scope. Costs one thread-local read where it is current already.
#pragma once

#include <cuda_runtime_api.h>

namespace fastnorm::cuda {

class DeviceGuard {
 public:
  explicit DeviceGuard(int ordinal) noexcept {
    error_ = cudaGetDevice(&previous_);
    if (error_ == cudaSuccess && previous_ != ordinal) {
      error_ = cudaSetDevice(ordinal);
      restore_ = error_ == cudaSuccess;
    }
  }
  ~DeviceGuard() {
    if (restore_) static_cast<void>(cudaSetDevice(previous_));
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

  cudaError_t error() const noexcept { return error_; }

 private:
  int previous_ = 0;
  bool restore_ = false;
  cudaError_t error_ = cudaSuccess;
};

}  // namespace fastnorm::cuda
