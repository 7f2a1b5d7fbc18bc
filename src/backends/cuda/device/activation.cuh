/// The activations of the epilogue. Each lets NaN through.
#pragma once

#include <fastnorm/norm_desc.hpp>

namespace fastnorm::cuda {

namespace activation_detail {

// In fp32 the fast exponential and quotient are right to a few units in the last place, far inside
// what the result is held to; where they overflow or vanish, the formulas below have their limits.

/// v / (1 + exp(-argument))
__device__ __forceinline__ float sigmoid_product(float v, float argument) {
  return __fdividef(v, 1.0f + __expf(-argument));
}

/// Abramowitz and Stegun, "Handbook of Mathematical Functions", 7.1.26: off by 1.5e-7 at most.
__device__ __forceinline__ float error_function(float v) {
  const float a = fabsf(v);
  const float t = __fdividef(1.0f, fmaf(0.3275911f, a, 1.0f));
  float polynomial = fmaf(1.061405429f, t, -1.453152027f);
  polynomial = fmaf(polynomial, t, 1.421413741f);
  polynomial = fmaf(polynomial, t, -0.284496736f);
  polynomial = fmaf(polynomial, t, 0.254829592f);
  return copysignf(fmaf(-polynomial * t, __expf(-a * a), 1.0f), v);
}

constexpr double root_half = 0.70710678118654752440;
constexpr double twice_root_of_2_over_pi = 1.59576912160573071176;

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
      return v * (v < -3 ? 0.0 : (v > 3 ? 6.0 : v + 3)) / 6;
    case Activation::clamp:
      return v < epilogue.lower ? epilogue.lower : (v > epilogue.upper ? epilogue.upper : v);
  }
  return v;
}

}  // namespace activation_detail

/// Applies the activation to each value.
template <int kVec>
__device__ __forceinline__ void activate(const fastnorm::Epilogue& epilogue,
                                         double (&values)[kVec]) {
  if (epilogue.activation == Activation::none) return;
#pragma unroll
  for (int k = 0; k < kVec; ++k) values[k] = activation_detail::activated(epilogue, values[k]);
}

/// One uniform branch for all of the values.
template <int kVec>
__device__ __forceinline__ void activate(const fastnorm::Epilogue& epilogue,
                                         float (&values)[kVec]) {
  using namespace activation_detail;
  const auto each = [&values](auto&& function) {
#pragma unroll
    for (int k = 0; k < kVec; ++k) values[k] = function(values[k]);
  };
  switch (epilogue.activation) {
    case Activation::none:
      return;
    case Activation::relu:
      return each([](float v) { return v < 0 ? 0.0f : v; });
    case Activation::leaky_relu:
      return each([slope = epilogue.slope](float v) { return v < 0 ? slope * v : v; });
    case Activation::elu:
      return each(
          [alpha = epilogue.alpha](float v) { return v < 0 ? alpha * (__expf(v) - 1.0f) : v; });
    case Activation::silu:
      return each([](float v) { return sigmoid_product(v, v); });
    case Activation::gelu:
      return each([](float v) {
        return 0.5f * v * (1.0f + error_function(v * static_cast<float>(root_half)));
      });
    case Activation::gelu_tanh:
      // (1 + tanh(u)) / 2 = 1 / (1 + exp(-2u))
      return each([](float v) {
        return sigmoid_product(
            v, static_cast<float>(twice_root_of_2_over_pi) * fmaf(0.044715f * v * v, v, v));
      });
    case Activation::tanh:
      return each([](float v) { return 1.0f - __fdividef(2.0f, 1.0f + __expf(2.0f * v)); });
    case Activation::hardswish:
      return each(
          [](float v) { return v * (v < -3 ? 0.0f : (v > 3 ? 6.0f : v + 3.0f)) * (1.0f / 6.0f); });
    case Activation::clamp:
      return each([lower = epilogue.lower, upper = epilogue.upper](float v) {
        return v < lower ? lower : (v > upper ? upper : v);
      });
  }
}

}  // namespace fastnorm::cuda
