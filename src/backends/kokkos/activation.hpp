// SPDX-License-Identifier: Apache-2.0
/// The activations of the epilogue. Each lets NaN through.
///
/// In fp32 they are branch-free arithmetic, as the compiler vectorises no call into the C library;
/// where a device has instructions for exponentials and quotients, they are those.
/// In fp64 that library's precision is wanted, and its speed is what it is.
#pragma once

#include "backends/kokkos/element.hpp"
#include "backends/kokkos/isa.hpp"

#include <fastnorm/norm_desc.hpp>

#include <Kokkos_Macros.hpp>

#include <cmath>
#include <cstdint>

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

namespace activation_detail {

/// exp(v) to 2e-7 of itself, on devices to 1e-7 of itself for each unit of |v|; below 2e-38, where
/// all that use it have reached their limits, it stays there or is 0, and above 2e38 it is
/// infinite.
KOKKOS_INLINE_FUNCTION float exponential(float v) {
#ifdef __CUDA_ARCH__
  return __expf(v);
#else
  const float bounded = v < -87.0f ? -87.0f : (v > 89.0f ? 89.0f : v);
  // Where a float has no fraction left: the sum is rounded to the integer n, which its last digits
  // hold.
  constexpr float no_fraction = 0x1.8p+23f;
  const float shifted = bounded * 1.44269504f + no_fraction;
  const float n = shifted - no_fraction;
  const float rest = (bounded - n * 0.693359375f) + n * 2.12194440e-4f;  // ln(2) in two parts.
  // Of exp(rest), |rest| <= ln(2) / 2; the coefficients are those of the Cephes library's expf().
  float series = 1.9875691500e-4f;
  series = series * rest + 1.3981999507e-3f;
  series = series * rest + 8.3334519073e-3f;
  series = series * rest + 4.1665795894e-2f;
  series = series * rest + 1.6666665459e-1f;
  series = series * rest + 5.0000001201e-1f;
  series = series * rest * rest + rest + 1.0f;
  using element_detail::bits_as;
  return series * bits_as<float>((bits_as<std::uint32_t>(shifted) << 23) + 0x3f800000u);
#endif
}
KOKKOS_INLINE_FUNCTION double exponential(double v) { return exp(v); }

/// a / b
KOKKOS_INLINE_FUNCTION float ratio(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fdividef(a, b);  // To two units in the last place; 0 where |b| exceeds 2^126.
#else
  return a / b;
#endif
}
KOKKOS_INLINE_FUNCTION double ratio(double a, double b) { return a / b; }

/// exp(v) - 1. What it loses near 0 in fp32 is small beside 1, by which results are judged.
KOKKOS_INLINE_FUNCTION float exponential_less_one(float v) { return exponential(v) - 1.0f; }
KOKKOS_INLINE_FUNCTION double exponential_less_one(double v) { return expm1(v); }

/// 1 - erf(v), v >= 0, to 2e-7. Abramowitz and Stegun, "Handbook of Mathematical Functions",
/// 7.1.26.
KOKKOS_INLINE_FUNCTION float error_complement(float v) {
  const float t = ratio(1.0f, 1.0f + 0.3275911f * v);
  float series = 1.061405429f;
  series = series * t - 1.453152027f;
  series = series * t + 1.421413741f;
  series = series * t - 0.284496736f;
  series = series * t + 0.254829592f;
  return series * t * exponential(-v * v);
}
KOKKOS_INLINE_FUNCTION double error_complement(double v) { return erfc(v); }

KOKKOS_INLINE_FUNCTION float hyperbolic_tangent(float v) {
  return 1.0f - ratio(2.0f, 1.0f + exponential(2.0f * v));
}
KOKKOS_INLINE_FUNCTION double hyperbolic_tangent(double v) { return tanh(v); }

/// v / (1 + exp(-argument))
template <class Acc>
KOKKOS_INLINE_FUNCTION Acc sigmoid_product(Acc v, Acc argument) {
  return ratio(v, Acc{1} + exponential(-argument));
}

}  // namespace activation_detail

/// Applies the activation to each of the values: one decision for all of them.
template <class Acc>
KOKKOS_INLINE_FUNCTION void activate(const Epilogue& epilogue, Acc* values, std::int64_t count) {
  using namespace activation_detail;
  const auto each = [&](const auto& function) {
    for (std::int64_t i = 0; i < count; ++i) values[i] = function(values[i]);
  };
  switch (epilogue.activation) {
    case Activation::none:
      return;
    case Activation::relu:
      return each([](Acc v) { return v < 0 ? Acc{0} : v; });
    case Activation::leaky_relu:
      return each([slope = Acc{epilogue.slope}](Acc v) { return v < 0 ? slope * v : v; });
    case Activation::elu:
      return each([alpha = Acc{epilogue.alpha}](Acc v) {
        const Acc below = alpha * exponential_less_one(v);
        return v < 0 ? below : v;
      });
    case Activation::silu:
      return each([](Acc v) { return sigmoid_product(v, v); });
    case Activation::gelu:
      // max(v, 0) - |v| Phi(-|v|). Beyond 16 the product vanishes, and with an infinite factor it
      // would be NaN.
      return each([](Acc v) {
        const Acc magnitude = std::fabs(v);
        const Acc bounded = magnitude > 16 ? Acc{16} : magnitude;
        const Acc tail = error_complement(bounded * static_cast<Acc>(0.70710678118654752440));
        return v / 2 + magnitude / 2 - bounded * tail / 2;
      });
    case Activation::gelu_tanh:
      // (1 + tanh(u)) / 2 = 1 / (1 + exp(-2u))
      return each([](Acc v) {
        constexpr auto twice_root_of_2_over_pi = static_cast<Acc>(1.59576912160573071176);
        constexpr auto cubic = static_cast<Acc>(0.044715);
        return sigmoid_product(v, twice_root_of_2_over_pi * (v + cubic * v * v * v));
      });
    case Activation::tanh:
      return each([](Acc v) { return hyperbolic_tangent(v); });
    case Activation::hardswish:
      return each([](Acc v) {
        const Acc factor = v < -3 ? Acc{0} : (v > 3 ? Acc{6} : v + 3);
        return v * factor / 6;
      });
    case Activation::clamp:
      return each([lower = Acc{epilogue.lower}, upper = Acc{epilogue.upper}](Acc v) {
        return v < lower ? lower : (v > upper ? upper : v);
      });
  }
}

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
