// SPDX-License-Identifier: Apache-2.0
/// For code that a device and a host run alike.
#pragma once

#if defined(__CUDACC__)
#define FASTNORM_HOST_DEVICE __host__ __device__
#else
#define FASTNORM_HOST_DEVICE
#endif

/// Before a loop whose array indices must be known to the compiler to stay in registers.
#if defined(__CUDA_ARCH__)
#define FASTNORM_UNROLL _Pragma("unroll")
#else
#define FASTNORM_UNROLL
#endif
