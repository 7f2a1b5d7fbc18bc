// SPDX-License-Identifier: Apache-2.0
/// The seam at which tests make blocks that exchange their parts of a row early or late.
#pragma once

namespace fastnorm::cuda {

/// What kernels are given where a test is not: no delay anywhere. Each call may come from any
/// thread, or any part of a warp.
struct NoDelays {
  __device__ __forceinline__ void before_load() {}     ///< Of x.
  __device__ __forceinline__ void before_send() {}     ///< Of the block's part of the moments.
  __device__ __forceinline__ void before_receive() {}  ///< Of the other blocks' parts.
  __device__ __forceinline__ void before_write() {}    ///< Of outputs.
};

}  // namespace fastnorm::cuda
