// SPDX-License-Identifier: Apache-2.0
/// Approximations that a GPU has an instruction for, in fp32, and what stands for them elsewhere.
/// Each is right to two units in the last place; results below the normal numbers are 0.
#pragma once

#include "backends/cuda/device/host_device.hpp"

#include <cmath>

namespace fastnorm::cuda {

FASTNORM_HOST_DEVICE inline float reciprocal(float v) {
#ifdef __CUDA_ARCH__
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(v));
  return result;
#else
  return 1.0f / v;
#endif
}
FASTNORM_HOST_DEVICE inline double reciprocal(double v) { return 1.0 / v; }

/// 2^v
FASTNORM_HOST_DEVICE inline float power_of_two(float v) {
#ifdef __CUDA_ARCH__
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(v));
  return result;
#else
  return std::exp2(v);
#endif
}

FASTNORM_HOST_DEVICE inline float exponential(float v) { return power_of_two(v * 1.4426950409f); }

/// 1 / sqrt(v), also of numbers below the normal ones.
FASTNORM_HOST_DEVICE inline float reciprocal_root(float v) {
#ifdef __CUDA_ARCH__
  return rsqrtf(v);
#else
  return 1.0f / std::sqrt(v);
#endif
}
FASTNORM_HOST_DEVICE inline double reciprocal_root(double v) { return 1.0 / std::sqrt(v); }

}  // namespace fastnorm::cuda
