// SPDX-License-Identifier: Apache-2.0
/// The activations of the epilogue, as functions of a value. Each lets NaN through.
#pragma once

#include "backends/cuda/device/fast_math.cuh"
#include "backends/cuda/device/host_device.hpp"

#include <fastnorm/norm_desc.hpp>

#include <type_traits>

namespace fastnorm::cuda {

namespace activation_detail {

constexpr double root_half = 0.70710678118654752440;
constexpr double twice_root_of_2_over_pi = 1.59576912160573071176;

// In fp32 the approximations are right far inside what the result is held to; where they overflow
// or vanish, the formulas below have their limits.

/// v / (1 + exp(-argument))
__device__ __forceinline__ float sigmoid_product(float v, float argument) {
  return v * reciprocal(1.0f + exponential(-argument));
}

/// log2 of the normal distribution's upper tail: of Phi(-a), a >= 0, as the polynomial that makes
/// a * Phi(-a) right to 4e-8 and Phi(-a), where a < 3, to 3e-6 of itself, before the roundings of
/// the power (a fit of this project's, by weighted least squares; 1/2 at 0 is exact). It falls on
/// beyond.
FASTNORM_HOST_DEVICE inline float log2_of_tail(float a) {
  float polynomial = fmaf(-2.00703e-6f, a, 2.94548881e-5f);
  polynomial = fmaf(polynomial, a, -1.38956108e-4f);
  polynomial = fmaf(polynomial, a, -2.51369318e-4f);
  polynomial = fmaf(polynomial, a, 7.2137434e-3f);
  polynomial = fmaf(polynomial, a, -5.26011586e-2f);
  polynomial = fmaf(polynomial, a, -0.459173113f);
  polynomial = fmaf(polynomial, a, -1.15110934f);
  return fmaf(polynomial, a, -1.0f);
}

/// max(v, 0), in one instruction; of a NaN, NaN.
__device__ __forceinline__ float positive_part(float v) {
  float result;
  asm("max.NaN.f32 %0, %1, 0f00000000;" : "=f"(result) : "f"(v));
  return result;
}

struct Identity {
  template <class Value>
  __device__ __forceinline__ Value operator()(Value v) const {
    return v;
  }
};
struct Relu {
  __device__ __forceinline__ float operator()(float v) const { return positive_part(v); }
};
struct LeakyRelu {
  float slope;
  __device__ __forceinline__ float operator()(float v) const { return v < 0 ? slope * v : v; }
};
struct Elu {
  float alpha;
  __device__ __forceinline__ float operator()(float v) const {
    return v < 0 ? alpha * (exponential(v) - 1.0f) : v;
  }
};
struct Silu {
  __device__ __forceinline__ float operator()(float v) const { return sigmoid_product(v, v); }
};
/// v * Phi(v) = max(v, 0) - |v| * Phi(-|v|), which needs one approximation where 1 + erf takes two,
/// and loses no digits to a sum on the left as far as -3. Of -inf its limit, 0.
struct Gelu {
  __device__ __forceinline__ float operator()(float v) const {
    // Far beyond where the product vanishes; an infinite factor would make a NaN of it.
    const float a = fminf(fabsf(v), 16.0f);
    return fmaf(-a, power_of_two(log2_of_tail(a)), positive_part(v));
  }
};
/// (1 + tanh(u)) / 2 = 1 / (1 + exp(-2u))
struct GeluTanh {
  __device__ __forceinline__ float operator()(float v) const {
    return sigmoid_product(
        v, static_cast<float>(twice_root_of_2_over_pi) * fmaf(0.044715f * v * v, v, v));
  }
};
struct Tanh {
  __device__ __forceinline__ float operator()(float v) const {
    return fmaf(-2.0f, reciprocal(1.0f + exponential(2.0f * v)), 1.0f);
  }
};
struct HardSwish {
  __device__ __forceinline__ float operator()(float v) const {
    return v * ((v < -3 ? 0.0f : (v > 3 ? 6.0f : v + 3.0f)) * (1.0f / 6.0f));
  }
};
struct Clamp {
  float lower;
  float upper;
  __device__ __forceinline__ float operator()(float v) const {
    return v < lower ? lower : (v > upper ? upper : v);
  }
};

/// A call a value: fp64 functions are long, and their speed is not what a row waits for.
static __device__ __noinline__ double activated(const fastnorm::Epilogue& epilogue, double v) {
  switch (epilogue.activation) {
    case Activation::none:
      break;
    case Activation::relu:
      return v < 0 ? 0.0 : v;
    case Activation::leaky_relu:
      return v < 0 ? epilogue.slope * v : v;
    case Activation::elu:
      return v < 0 ? epilogue.alpha * expm1(v) : v;
    case Activation::silu:
      return v / (1 + exp(-v));
    case Activation::gelu:
      return 0.5 * v * (1 + erf(v * root_half));
    case Activation::gelu_tanh:
      return v / (1 + exp(-twice_root_of_2_over_pi * fma(0.044715 * v * v, v, v)));
    case Activation::tanh:
      return ::tanh(v);
    case Activation::hardswish:
      return v * ((v < -3 ? 0.0 : (v > 3 ? 6.0 : v + 3)) / 6);
    case Activation::clamp:
      return v < epilogue.lower ? epilogue.lower : (v > epilogue.upper ? epilogue.upper : v);
  }
  return v;
}

struct InDouble {
  const fastnorm::Epilogue& epilogue;
  __device__ __forceinline__ double operator()(double v) const { return activated(epilogue, v); }
};

}  // namespace activation_detail

/// Calls `function` with the activation of values of type Acc: one uniform decision for whatever it
/// does with it.
template <class Acc, class Function>
__device__ __forceinline__ void with_activation(const fastnorm::Epilogue& epilogue,
                                                Function&& function) {
  using namespace activation_detail;
  if (epilogue.activation == Activation::none) return function(Identity{});
  if constexpr (std::is_same_v<Acc, double>) {
    function(InDouble{epilogue});
  } else {
    switch (epilogue.activation) {
      case Activation::none:
        return;
      case Activation::relu:
        return function(Relu{});
      case Activation::leaky_relu:
        return function(LeakyRelu{epilogue.slope});
      case Activation::elu:
        return function(Elu{epilogue.alpha});
      case Activation::silu:
        return function(Silu{});
      case Activation::gelu:
        return function(Gelu{});
      case Activation::gelu_tanh:
        return function(GeluTanh{});
      case Activation::tanh:
        return function(Tanh{});
      case Activation::hardswish:
        return function(HardSwish{});
      case Activation::clamp:
        return function(Clamp{epilogue.lower, epilogue.upper});
    }
  }
}

/// Applies the activation to each value.
template <class Acc, int kVec>
__device__ __forceinline__ void activate(const fastnorm::Epilogue& epilogue, Acc (&values)[kVec]) {
  if (epilogue.activation == Activation::none) return;
  with_activation<Acc>(epilogue, [&values](auto activation) {
#pragma unroll
    for (int k = 0; k < kVec; ++k) values[k] = activation(values[k]);
  });
}

}  // namespace fastnorm::cuda
