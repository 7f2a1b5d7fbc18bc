// SPDX-License-Identifier: Apache-2.0
/// The fp64 reference of one element, and the tally of comparisons with it. For host and device.
#pragma once

#include "core/problem.hpp"
#include "measure/elements.hpp"
#include "measure/places.hpp"

#include <fastnorm/norm_desc.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace fastnorm::measure {

struct RowStatistics {
  double mean;
  double rstd;
};

/// A call as the reference computes it. Pointers lead into the space's memory; passed to kernels by
/// value.
struct ReferenceCall {
  NormArgs tensors;
  const RowStatistics* statistics;  ///< One a row.
  DType x_type;
  DType y_type;
  DType affine_type;
  DType accumulation_type;
  Statistics kind;
  Residual residual;
  Epilogue epilogue;
  double eps;
  std::int64_t rows;
  std::int64_t row_len;
  RowMemory memory;
  AffineMap affine;
  std::int64_t rows_per_sample;
  std::int64_t channels;
};

constexpr double magnitude(double value) noexcept { return value < 0 ? -value : value; }
constexpr double larger(double a, double b) noexcept { return a < b ? b : a; }

/// What is normalised at one place. In double the sum is exact, or so close to it that one rounding
/// gives what an addition in the accumulation type would.
constexpr double summed(const ReferenceCall& call, double x, double residual) noexcept {
  switch (call.residual) {
    case Residual::none:
      return x;
    case Residual::rounded_sum:
      return round_to(call.x_type, x + residual);
    case Residual::exact_sum:
      return round_to(call.accumulation_type, x + residual);
  }
  return x;
}

/// The same, loaded from a place of x.
constexpr double load_summed(const ReferenceCall& call, std::int64_t place) noexcept {
  const double x = load(call.x_type, call.tensors.x, place);
  if (call.residual == Residual::none) return x;
  return summed(call, x, load(call.x_type, call.tensors.residual, place));
}

/// The channel of a row's element i.
constexpr std::int64_t channel_of(const AffineMap& affine, std::int64_t row,
                                  std::int64_t i) noexcept {
  return row % affine.row_period * affine.channels_per_row +
         i / affine.inner % affine.channels_per_row;
}

/// The affine map of one element, its sample's scale and shift included.
struct ChannelAffine {
  double gamma;
  double beta;
};

constexpr double stored_gamma(const ReferenceCall& call, double gamma) noexcept {
  return call.epilogue.gamma == GammaForm::factor ? gamma
                                                  : round_to(call.accumulation_type, 1 + gamma);
}

constexpr ChannelAffine load_affine(const ReferenceCall& call, std::int64_t row,
                                    std::int64_t channel) noexcept {
  const NormArgs& tensors = call.tensors;
  const DType type = call.affine_type;
  ChannelAffine affine{1, 0};
  if (tensors.gamma != nullptr) {
    affine.gamma = stored_gamma(call, load(type, tensors.gamma, channel));
  }
  if (tensors.beta != nullptr) affine.beta = load(type, tensors.beta, channel);
  const std::int64_t of_sample = row / call.rows_per_sample * call.channels + channel;
  if (tensors.scale != nullptr) {
    const double factor = 1 + load(type, tensors.scale, of_sample);
    affine.gamma *= factor;
    affine.beta *= factor;
  }
  if (tensors.shift != nullptr) affine.beta += load(type, tensors.shift, of_sample);
  return affine;
}

constexpr double normalised(double h, const RowStatistics& row) noexcept {
  return (h - row.mean) * row.rstd;
}

/// Whether the normalised value loses digits before the affine map.
constexpr bool rounds_normalised(const ReferenceCall& call) noexcept {
  return call.epilogue.normalised == NormalisedRounding::affine_type &&
         call.affine_type != DType::f64 && call.affine_type != call.accumulation_type;
}

constexpr double before_activation(const ReferenceCall& call, double normalised,
                                   const ChannelAffine& affine) noexcept {
  const double kept = rounds_normalised(call) ? round_to(call.affine_type, normalised) : normalised;
  return kept * affine.gamma + affine.beta;
}

constexpr double activated(const Epilogue& epilogue, double v) noexcept {
  switch (epilogue.activation) {
    case Activation::none:
      return v;
    case Activation::relu:
      return v < 0 ? 0 : v;
    case Activation::leaky_relu:
      return v < 0 ? static_cast<double>(epilogue.slope) * v : v;
    case Activation::elu:
      return v < 0 ? static_cast<double>(epilogue.alpha) * std::expm1(v) : v;
    case Activation::silu:
      return v / (1 + std::exp(-v));
    case Activation::gelu:
      return v * std::erfc(v * -0.70710678118654752440) / 2;
    case Activation::gelu_tanh:
      return v * (1 + std::tanh(0.79788456080286535588 * (v + 0.044715 * v * v * v))) / 2;
    case Activation::tanh:
      return std::tanh(v);
    case Activation::hardswish:
      return v * (v < -3 ? 0 : (v > 3 ? 6 : v + 3)) / 6;
    case Activation::clamp: {
      const auto lower = static_cast<double>(epilogue.lower);
      const auto upper = static_cast<double>(epilogue.upper);
      return v < lower ? lower : (v > upper ? upper : v);
    }
  }
  return v;
}

/// How much an activation can stretch an error: the largest slope it has.
constexpr double stretch(const Epilogue& epilogue) noexcept {
  switch (epilogue.activation) {
    case Activation::leaky_relu:
      return larger(1, magnitude(static_cast<double>(epilogue.slope)));
    case Activation::elu:
      return larger(1, magnitude(static_cast<double>(epilogue.alpha)));
    case Activation::silu:
      return 1.1;
    case Activation::gelu:
    case Activation::gelu_tanh:
      return 1.2;
    case Activation::hardswish:
      return 1.5;
    default:
      return 1;
  }
}

/// What a kernel of this type of output may be off by before the activation: a share of the
/// result's scale, plus what rounding the mean costs where it is large against the deviation. For
/// f64 the reference itself is in double: what its sums may be off by, at most row_len / 256 + 1024
/// additions one after the other, is allowed in addition.
constexpr double value_tolerance(const ReferenceCall& call, DType type, double reference,
                                 const RowStatistics& row, double gamma) noexcept {
  const double factor = larger(1, magnitude(gamma));
  const double scale = larger(factor, magnitude(reference));
  const double deviations = magnitude(row.mean) * row.rstd;
  switch (type) {
    case DType::f32:
      return 2e-5 * scale + 2 * 0x1p-24 * deviations * factor;
    case DType::f16:
      return 2e-3 * scale;
    case DType::bf16:
      return 1.6e-2 * scale;
    case DType::f64: {
      const double additions = static_cast<double>(call.row_len) / 256 + 1024;
      return 1e-11 * scale + (2 * deviations + additions * (1 + deviations)) * 0x1p-53 * factor;
    }
  }
  return 0;
}

/// The same after the activation. Where the normalised value is rounded on the way and a boundary
/// lies as near as the kernel may be off, it may be rounded either way.
constexpr double tolerance(const ReferenceCall& call, double before_activation, double normalised,
                           const RowStatistics& row, double gamma) noexcept {
  double t = value_tolerance(call, call.y_type, before_activation, row, gamma);
  if (rounds_normalised(call)) {
    const double error = value_tolerance(call, call.accumulation_type, normalised, row, 1);
    t += magnitude(gamma) * (round_to(call.affine_type, normalised + error) -
                             round_to(call.affine_type, normalised - error));
  }
  return stretch(call.epilogue) * t;
}

/// One element's reference and what y may be off from it.
struct Expected {
  double value;
  double tolerance;
};

constexpr Expected expected(const ReferenceCall& call, double h, const RowStatistics& row,
                            const ChannelAffine& affine) noexcept {
  const double z = normalised(h, row);
  const double v = before_activation(call, z, affine);
  return {activated(call.epilogue, v), tolerance(call, v, z, row, affine.gamma)};
}

/// An element by its row and its number there.
struct RowElement {
  std::int64_t row;
  std::int64_t i;
};

constexpr bool comes_before(const RowElement& a, const RowElement& b) noexcept {
  return a.row < b.row || (a.row == b.row && a.i < b.i);
}

/// The tally; value-initialised it is that of no elements.
struct Comparison {
  std::int64_t violations;
  double worst_ratio;  ///< Of error to tolerance.
  RowElement worst;
  double got;
  double expected;
};

/// Whether an element is further off than `ratio` times the tolerance. A NaN always is: it fails
/// the negated comparison.
constexpr bool beyond(double ratio, double y, const Expected& expected) noexcept {
  return !(magnitude(y - expected.value) <= ratio * expected.tolerance);
}

/// A tally of one worst element takes the place of `into`'s. Of two that are equally wrong the
/// first element wins, so that the outcome does not depend on the order of counting.
constexpr void take_worse(Comparison& into, const Comparison& from) noexcept {
  if (from.worst_ratio < into.worst_ratio) return;
  if (from.worst_ratio == into.worst_ratio && !comes_before(from.worst, into.worst)) return;
  into.worst_ratio = from.worst_ratio;
  into.worst = from.worst;
  into.got = from.got;
  into.expected = from.expected;
}

/// One element more.
constexpr void count_element(Comparison& tally, const RowElement& element, double y,
                             const Expected& expected) noexcept {
  if (beyond(1, y, expected)) ++tally.violations;
  const double error = magnitude(y - expected.value);
  if (error < tally.worst_ratio * expected.tolerance) return;
  const double ratio =
      error == error ? error / expected.tolerance : std::numeric_limits<double>::infinity();
  take_worse(tally, {0, ratio, element, y, expected.value});
}

constexpr void merge(Comparison& into, const Comparison& from) noexcept {
  into.violations += from.violations;
  take_worse(into, from);
}

}  // namespace fastnorm::measure
