// SPDX-License-Identifier: Apache-2.0
#include "core/enum_values.hpp"

#include <fastnorm/fastnorm.h>
#include <fastnorm/plan.hpp>
#include <fastnorm/status.hpp>
#include <fastnorm/types.hpp>
#include <fastnorm/version.hpp>

#include <cstdint>

namespace fastnorm {
namespace {

template <class Enum>
constexpr bool same(std::int32_t number, Enum value) {
  return number == static_cast<std::int32_t>(value);
}

static_assert(same(FASTNORM_OK, StatusCode::ok));
static_assert(same(FASTNORM_INVALID_ARGUMENT, StatusCode::invalid_argument));
static_assert(same(FASTNORM_UNSUPPORTED, StatusCode::unsupported));
static_assert(same(FASTNORM_UNAVAILABLE, StatusCode::unavailable));
static_assert(same(FASTNORM_OUT_OF_MEMORY, StatusCode::out_of_memory));
static_assert(same(FASTNORM_DEVICE_ERROR, StatusCode::device_error));

static_assert(same(FASTNORM_OP_GROUP_NORM, Op::group_norm));
static_assert(same(FASTNORM_OP_INSTANCE_NORM, Op::instance_norm));
static_assert(same(FASTNORM_OP_LAYER_NORM, Op::layer_norm));
static_assert(same(FASTNORM_OP_RMS_NORM, Op::rms_norm));

static_assert(same(FASTNORM_DTYPE_F32, DType::f32));
static_assert(same(FASTNORM_DTYPE_F16, DType::f16));
static_assert(same(FASTNORM_DTYPE_BF16, DType::bf16));
static_assert(same(FASTNORM_DTYPE_F64, DType::f64));

static_assert(same(FASTNORM_LAYOUT_CHANNELS_FIRST, Layout::channels_first));
static_assert(same(FASTNORM_LAYOUT_CHANNELS_LAST, Layout::channels_last));

static_assert(same(FASTNORM_ACTIVATION_NONE, Activation::none));
static_assert(same(FASTNORM_ACTIVATION_RELU, Activation::relu));
static_assert(same(FASTNORM_ACTIVATION_LEAKY_RELU, Activation::leaky_relu));
static_assert(same(FASTNORM_ACTIVATION_ELU, Activation::elu));
static_assert(same(FASTNORM_ACTIVATION_SILU, Activation::silu));
static_assert(same(FASTNORM_ACTIVATION_GELU, Activation::gelu));
static_assert(same(FASTNORM_ACTIVATION_GELU_TANH, Activation::gelu_tanh));
static_assert(same(FASTNORM_ACTIVATION_TANH, Activation::tanh));
static_assert(same(FASTNORM_ACTIVATION_HARDSWISH, Activation::hardswish));
static_assert(same(FASTNORM_ACTIVATION_CLAMP, Activation::clamp));

static_assert(same(FASTNORM_RESIDUAL_NONE, Residual::none));
static_assert(same(FASTNORM_RESIDUAL_ROUNDED_SUM, Residual::rounded_sum));
static_assert(same(FASTNORM_RESIDUAL_EXACT_SUM, Residual::exact_sum));

static_assert(same(FASTNORM_GAMMA_FORM_FACTOR, GammaForm::factor));
static_assert(same(FASTNORM_GAMMA_FORM_CENTRED_ZERO, GammaForm::centred_zero));

static_assert(same(FASTNORM_NORMALISED_ROUNDING_NONE, NormalisedRounding::none));
static_assert(same(FASTNORM_NORMALISED_ROUNDING_AFFINE_TYPE, NormalisedRounding::affine_type));

static_assert(same(FASTNORM_MODULATION_NONE, Modulation::none));
static_assert(same(FASTNORM_MODULATION_SCALE_SHIFT, Modulation::scale_shift));

static_assert(same(FASTNORM_MEMORY_AUTOMATIC, MemorySpace::automatic));
static_assert(same(FASTNORM_MEMORY_HOST, MemorySpace::host));
static_assert(same(FASTNORM_MEMORY_DEVICE, MemorySpace::device));

static_assert(same(FASTNORM_TUNING_DATABASE, Tuning::database));
static_assert(same(FASTNORM_TUNING_HEURISTIC, Tuning::heuristic));

static_assert(same(FASTNORM_LAUNCHES_ALL, Launches::all));
static_assert(same(FASTNORM_LAUNCHES_INDEPENDENT_BLOCKS, Launches::independent_blocks));

static_assert(FASTNORM_MAX_RANK == Extents::max_rank);

// As many as there are above: a value that C++ gets, C gets, too.
static_assert(all_ops.size() == 4 && all_dtypes.size() == 4 && all_layouts.size() == 2);
static_assert(all_activations.size() == 10 && all_residuals.size() == 3);
static_assert(all_gamma_forms.size() == 2 && all_normalised_roundings.size() == 2);
static_assert(all_modulations.size() == 2);

/// The value with this number, or one that the enum does not have: its type is a byte wide.
template <class Enum>
Enum value_of(std::int32_t number) {
  constexpr std::int32_t none = 255;
  return static_cast<Enum>(number < 0 || number > none ? none : number);
}

}  // namespace
}  // namespace fastnorm

const char* fastnorm_status_name(fastnorm_status status) {
  return to_string(fastnorm::value_of<fastnorm::StatusCode>(status));
}

const char* fastnorm_op_name(fastnorm_op op) {
  return to_string(fastnorm::value_of<fastnorm::Op>(op));
}

const char* fastnorm_dtype_name(fastnorm_dtype type) {
  return to_string(fastnorm::value_of<fastnorm::DType>(type));
}

size_t fastnorm_dtype_size(fastnorm_dtype type) {
  return size_of(fastnorm::value_of<fastnorm::DType>(type));
}

const char* fastnorm_layout_name(fastnorm_layout layout) {
  return to_string(fastnorm::value_of<fastnorm::Layout>(layout));
}

const char* fastnorm_activation_name(fastnorm_activation activation) {
  return to_string(fastnorm::value_of<fastnorm::Activation>(activation));
}

const char* fastnorm_residual_name(fastnorm_residual residual) {
  return to_string(fastnorm::value_of<fastnorm::Residual>(residual));
}

const char* fastnorm_gamma_form_name(fastnorm_gamma_form form) {
  return to_string(fastnorm::value_of<fastnorm::GammaForm>(form));
}

const char* fastnorm_normalised_rounding_name(fastnorm_normalised_rounding rounding) {
  return to_string(fastnorm::value_of<fastnorm::NormalisedRounding>(rounding));
}

const char* fastnorm_modulation_name(fastnorm_modulation modulation) {
  return to_string(fastnorm::value_of<fastnorm::Modulation>(modulation));
}

const char* fastnorm_memory_name(fastnorm_memory memory) {
  return to_string(fastnorm::value_of<fastnorm::MemorySpace>(memory));
}

const char* fastnorm_version(void) { return fastnorm::version(); }
