// SPDX-License-Identifier: Apache-2.0
/// Every value of the public enums, once: what their names are looked up in.
#pragma once

#include <fastnorm/status.hpp>
#include <fastnorm/types.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fastnorm {

inline constexpr std::array all_ops = {Op::group_norm, Op::instance_norm, Op::layer_norm,
                                       Op::rms_norm};
inline constexpr std::array all_dtypes = {DType::f32, DType::f16, DType::bf16, DType::f64};
inline constexpr std::array all_layouts = {Layout::channels_first, Layout::channels_last};
inline constexpr std::array all_activations = {
    Activation::none,      Activation::relu, Activation::leaky_relu, Activation::elu,
    Activation::silu,      Activation::gelu, Activation::gelu_tanh,  Activation::tanh,
    Activation::hardswish, Activation::clamp};
inline constexpr std::array all_residuals = {Residual::none, Residual::rounded_sum,
                                             Residual::exact_sum};
inline constexpr std::array all_gamma_forms = {GammaForm::factor, GammaForm::centred_zero};
inline constexpr std::array all_normalised_roundings = {NormalisedRounding::none,
                                                        NormalisedRounding::affine_type};
inline constexpr std::array all_modulations = {Modulation::none, Modulation::scale_shift};

/// The value that to_string() spells `name`.
template <class Enum, std::size_t count>
std::optional<Enum> find_by_name(const std::array<Enum, count>& values, std::string_view name) {
  for (const Enum value : values) {
    if (to_string(value) == name) return value;
  }
  return std::nullopt;
}

/// "f32, f16, ...", for messages that say what is allowed.
template <class Enum, std::size_t count>
std::string names_of(const std::array<Enum, count>& values) {
  std::string names;
  for (const Enum value : values) {
    if (!names.empty()) names += ", ";
    names += to_string(value);
  }
  return names;
}

/// Fails for a number that is no value of the enum: a descriptor may hold anything.
template <class Enum, std::size_t count>
Status check_known(const char* argument, std::int64_t number,
                   const std::array<Enum, count>& values) {
  const auto has_number = [number](Enum value) {
    return static_cast<std::int64_t>(value) == number;
  };
  if (std::any_of(values.begin(), values.end(), has_number)) return {};
  return Status(StatusCode::unsupported, std::string(argument) + "=" + std::to_string(number) +
                                             " is not offered; supported: " + names_of(values));
}

template <class Enum, std::size_t count>
Status check_known(const char* argument, Enum value, const std::array<Enum, count>& values) {
  return check_known(argument, static_cast<std::int64_t>(value), values);
}

}  // namespace fastnorm
