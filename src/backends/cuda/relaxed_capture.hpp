// SPDX-License-Identifier: Apache-2.0
/// Lets a scope do what a stream capture of this thread forbids otherwise.
#pragma once

#include <cuda_runtime_api.h>

namespace fastnorm::cuda {

/// Around allocating memory and loading kernels, which the first call of a problem does and which
/// may happen during a capture: neither touches a stream, so the capture need not be invalidated by
/// them.
class RelaxedCapture {
 public:
  RelaxedCapture() noexcept { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~RelaxedCapture() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace fastnorm::cuda
