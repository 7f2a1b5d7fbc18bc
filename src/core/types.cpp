// SPDX-License-Identifier: Apache-2.0
#include <fastnorm/types.hpp>
#include <fastnorm/version.hpp>

#define FASTNORM_STRINGIFY(x) #x
#define FASTNORM_VERSION_TEXT(a, b, c) \
  FASTNORM_STRINGIFY(a) "." FASTNORM_STRINGIFY(b) "." FASTNORM_STRINGIFY(c)

namespace fastnorm {

const char* to_string(Op op) noexcept {
  switch (op) {
    case Op::group_norm:
      return "group_norm";
    case Op::instance_norm:
      return "instance_norm";
    case Op::layer_norm:
      return "layer_norm";
    case Op::rms_norm:
      return "rms_norm";
  }
  return "unknown op";
}

const char* to_string(DType type) noexcept {
  switch (type) {
    case DType::f32:
      return "f32";
    case DType::f16:
      return "f16";
    case DType::bf16:
      return "bf16";
    case DType::f64:
      return "f64";
  }
  return "unknown dtype";
}

const char* to_string(Layout layout) noexcept {
  switch (layout) {
    case Layout::channels_first:
      return "channels_first";
    case Layout::channels_last:
      return "channels_last";
  }
  return "unknown layout";
}

const char* to_string(Activation activation) noexcept {
  switch (activation) {
    case Activation::none:
      return "none";
    case Activation::relu:
      return "relu";
    case Activation::leaky_relu:
      return "leaky_relu";
    case Activation::elu:
      return "elu";
    case Activation::silu:
      return "silu";
    case Activation::gelu:
      return "gelu";
    case Activation::gelu_tanh:
      return "gelu_tanh";
    case Activation::tanh:
      return "tanh";
    case Activation::hardswish:
      return "hardswish";
    case Activation::clamp:
      return "clamp";
  }
  return "unknown activation";
}

const char* to_string(Residual residual) noexcept {
  switch (residual) {
    case Residual::none:
      return "none";
    case Residual::rounded_sum:
      return "rounded_sum";
    case Residual::exact_sum:
      return "exact_sum";
  }
  return "unknown residual";
}

const char* to_string(GammaForm form) noexcept {
  switch (form) {
    case GammaForm::factor:
      return "factor";
    case GammaForm::centred_zero:
      return "centred_zero";
  }
  return "unknown form of gamma";
}

const char* to_string(NormalisedRounding rounding) noexcept {
  switch (rounding) {
    case NormalisedRounding::none:
      return "none";
    case NormalisedRounding::affine_type:
      return "affine_type";
  }
  return "unknown rounding";
}

const char* to_string(Modulation modulation) noexcept {
  switch (modulation) {
    case Modulation::none:
      return "none";
    case Modulation::scale_shift:
      return "scale_shift";
  }
  return "unknown modulation";
}

const char* to_string(MemorySpace space) noexcept {
  switch (space) {
    case MemorySpace::automatic:
      return "automatic";
    case MemorySpace::host:
      return "host";
    case MemorySpace::device:
      return "device";
  }
  return "unknown memory space";
}

std::size_t size_of(DType type) noexcept {
  switch (type) {
    case DType::f16:
    case DType::bf16:
      return 2;
    case DType::f32:
      return 4;
    case DType::f64:
      return 8;
  }
  return 0;
}

const char* version() noexcept {
  return FASTNORM_VERSION_TEXT(FASTNORM_VERSION_MAJOR, FASTNORM_VERSION_MINOR,
                               FASTNORM_VERSION_PATCH);
}

}  // namespace fastnorm
