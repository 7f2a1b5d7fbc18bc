// SPDX-License-Identifier: Apache-2.0
#include "core/problem.hpp"

#include "core/enum_values.hpp"
#include "core/epilogue_key.hpp"
#include "core/op_kind.hpp"
#include "ops/canonical_form.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace fastnorm {
namespace {

Status invalid(std::string message) {
  return Status(StatusCode::invalid_argument, std::move(message));
}

Status unsupported(std::string message) {
  return Status(StatusCode::unsupported, std::move(message));
}

Status check_enums(const NormDesc& desc) {
  for (Status status :
       {check_known("op", desc.op, all_ops), check_known("x_type", desc.x_type, all_dtypes),
        check_known("y_type", desc.y_type, all_dtypes),
        check_known("affine_type", desc.affine_type, all_dtypes),
        check_known("layout", desc.layout, all_layouts),
        check_known("residual", desc.residual, all_residuals),
        check_known("activation", desc.epilogue.activation, all_activations),
        check_known("gamma", desc.epilogue.gamma, all_gamma_forms),
        check_known("normalised", desc.epilogue.normalised, all_normalised_roundings),
        check_known("modulation", desc.epilogue.modulation, all_modulations)}) {
    if (!status.ok()) return status;
  }
  return {};
}

std::string axis_name(Op op, int axis) {
  if (normalises_last_extents(op)) return "extent " + std::to_string(axis);
  if (axis == 0) return "N";
  if (axis == 1) return "C";
  return "spatial extent " + std::to_string(axis - 2);
}

Status check_rank(const NormDesc& desc) {
  const int rank = desc.extents.rank();
  const bool last_extents = normalises_last_extents(desc.op);
  if (rank < (last_extents ? 1 : 2) || rank > Extents::max_rank) {
    const std::string allowed =
        last_extents
            ? "1 to " + std::to_string(Extents::max_rank) + " extents"
            : "N, C and up to " + std::to_string(Extents::max_rank - 2) + " spatial extents";
    return invalid("extents have rank " + std::to_string(rank) + "; allowed are " + allowed);
  }
  if (last_extents && (desc.normalized_rank < 1 || desc.normalized_rank > rank)) {
    return invalid("normalized_rank=" + std::to_string(desc.normalized_rank) +
                   " must be from 1 to the rank of the extents, " + std::to_string(rank));
  }
  return {};
}

Status check_extents(const NormDesc& desc) {
  if (Status status = check_rank(desc); !status.ok()) return status;
  const int rank = desc.extents.rank();
  for (int axis = 0; axis < rank; ++axis) {
    const bool counts_channels =
        normalises_last_extents(desc.op) ? axis >= rank - desc.normalized_rank : axis == 1;
    const std::int64_t least = counts_channels ? 1 : 0;
    if (desc.extents[axis] < least) {
      return invalid(axis_name(desc.op, axis) + "=" + std::to_string(desc.extents[axis]) +
                     " must be at least " + std::to_string(least));
    }
  }
  return {};
}

DType accumulation_type_of(const NormDesc& desc) {
  return desc.x_type == DType::f64 ? DType::f64 : DType::f32;
}

/// Multiplies the extents that are not zero, so that an empty tensor of absurd extents is refused
/// like any other: no later product of a part of them can overflow then. No tensor of a call has
/// more elements than x, but statistics and affine ones may be of a larger type.
Status check_bytes(const NormDesc& desc) {
  const std::size_t largest =
      std::max({size_of(desc.x_type), size_of(desc.y_type), size_of(desc.affine_type),
                size_of(accumulation_type_of(desc))});
  std::int64_t left = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(largest);
  for (int axis = 0; axis < desc.extents.rank(); ++axis) {
    if (desc.extents[axis] > 1) left /= desc.extents[axis];
  }
  if (left > 0) return {};
  return invalid("extents=" + shown(desc.extents) + " with elements of " + std::to_string(largest) +
                 " bytes: the size in bytes exceeds 2^63 - 1");
}

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

Status check_numbers(const NormDesc& desc) {
  if (!(desc.eps >= 0.0) || !std::isfinite(desc.eps)) {
    return invalid("eps=" + shown(desc.eps) + " must be finite and not negative");
  }
  const Epilogue& epilogue = desc.epilogue;
  const auto check_finite = [](const char* argument, float value) {
    if (std::isfinite(value)) return Status();
    return invalid(std::string(argument) + "=" + shown(static_cast<double>(value)) +
                   " must be finite");
  };
  if (epilogue.activation == Activation::leaky_relu) return check_finite("slope", epilogue.slope);
  if (epilogue.activation == Activation::elu) return check_finite("alpha", epilogue.alpha);
  if (epilogue.activation == Activation::clamp && !(epilogue.lower <= epilogue.upper)) {
    return invalid("lower=" + shown(static_cast<double>(epilogue.lower)) +
                   " must not exceed upper=" + shown(static_cast<double>(epilogue.upper)) +
                   ", and neither may be NaN");
  }
  return {};
}

bool is_half(DType type) { return type == DType::f16 || type == DType::bf16; }

Status check_offered(const NormDesc& desc) {
  const std::string x_type = to_string(desc.x_type);
  const bool one_is_half = (desc.x_type == DType::f32 && is_half(desc.y_type)) ||
                           (desc.y_type == DType::f32 && is_half(desc.x_type));
  if (desc.x_type != desc.y_type && !one_is_half) {
    return unsupported("x_type=" + x_type + " with y_type=" + to_string(desc.y_type) +
                       " is not offered; the two are equal, or one is f32 and the other f16 or "
                       "bf16");
  }
  if (desc.affine_type != desc.x_type && desc.affine_type != DType::f32) {
    return unsupported(std::string("affine_type=") + to_string(desc.affine_type) +
                       " with x_type=" + x_type + " is not offered; affine_type is x_type or f32");
  }
  if (normalises_last_extents(desc.op) && desc.layout != Layout::channels_first) {
    return unsupported(std::string("layout=") + to_string(desc.layout) + " is not offered for " +
                       to_string(desc.op) +
                       ", whose extents have no C; x_strides and y_strides can say the same");
  }
  return {};
}

Result<CanonicalForm> form_of(const NormDesc& desc, const StridedAxes& axes) {
  switch (desc.op) {
    case Op::group_norm:
      return group_norm_form(desc, axes);
    case Op::instance_norm:
      return instance_norm_form(desc, axes);
    case Op::layer_norm:
      return layer_norm_form(desc, axes);
    case Op::rms_norm:
      return rms_norm_form(desc, axes);
  }
  return check_known("op", desc.op, all_ops);
}

/// With the strides of one tensor for both.
StridedAxes both_with(std::int64_t StridedAxis::*stride, const StridedAxes& axes) {
  StridedAxes alike;
  for (int i = 0; i < axes.size(); ++i) {
    alike.push_back({axes[i].extent, axes[i].*stride, axes[i].*stride});
  }
  return alike;
}

/// The operation's form. Where no rows can be made of the strides, the error says of which
/// tensor's, or that those of both do not go together.
Result<CanonicalForm> canonical_form(const NormDesc& desc, const StridedAxes& axes) {
  Result<CanonicalForm> form = form_of(desc, axes);
  if (form.ok() || form.status().code() != StatusCode::unsupported) return form;
  std::string whose = shown_x_strides(desc) + " with " + shown_y_strides(desc);
  if (!form_of(desc, both_with(&StridedAxis::x_stride, axes)).ok()) {
    whose = shown_x_strides(desc);
  } else if (!form_of(desc, both_with(&StridedAxis::y_stride, axes)).ok()) {
    whose = shown_y_strides(desc);
  }
  return unsupported(whose + " for extents=" + shown(desc.extents) + ": " +
                     form.status().message());
}

}  // namespace

Result<Problem> Problem::create(const NormDesc& desc) {
  if (Status status = check_enums(desc); !status.ok()) return status;
  if (Status status = check_extents(desc); !status.ok()) return status;
  if (Status status = check_bytes(desc); !status.ok()) return status;
  if (Status status = check_numbers(desc); !status.ok()) return status;
  if (Status status = check_offered(desc); !status.ok()) return status;
  const Result<StridedAxes> axes = strided_axes(desc);
  if (!axes.ok()) return axes.status();
  const Result<CanonicalForm> form = canonical_form(desc, axes.value());
  if (!form.ok()) return form.status();

  Problem problem;
  problem.desc_ = desc;
  problem.rows_ = form.value().rows;
  problem.row_len_ = form.value().row_len;
  problem.rows_per_sample_ = form.value().rows_per_sample;
  problem.statistics_ = form.value().statistics;
  problem.affine_ = form.value().affine;
  if (!problem.empty()) problem.memory_ = form.value().memory;
  return problem;
}

bool Problem::contiguous_rows() const noexcept {
  return empty() || (memory_.runs == 1 && !repeats_channels());
}

bool Problem::dense_rows() const noexcept {
  if (empty()) return true;
  const bool one_after_the_other =
      rows_ == 1 || (memory_.outers == 1 && memory_.x.row == row_len_ && memory_.y.row == row_len_);
  return contiguous_rows() && one_after_the_other;
}

bool Problem::repeats_channels() const noexcept {
  return affine_.channels_per_row * affine_.inner < row_len_;
}

Layout Problem::layout() const noexcept {
  const std::int64_t gap_until = memory_.runs > 1 ? memory_.x.run : 0;
  const bool takes_turns = (memory_.rows_per_outer > 1 && memory_.x.row < gap_until) ||
                           (memory_.outers > 1 && memory_.x.outer < gap_until);
  return repeats_channels() || takes_turns ? Layout::channels_last : Layout::channels_first;
}

DType Problem::accumulation_type() const noexcept { return accumulation_type_of(desc_); }

std::int64_t Problem::samples() const noexcept { return rows_ / rows_per_sample_; }

std::int64_t Problem::x_bytes() const noexcept {
  return elements() * static_cast<std::int64_t>(size_of(desc_.x_type));
}

std::int64_t Problem::y_bytes() const noexcept {
  return elements() * static_cast<std::int64_t>(size_of(desc_.y_type));
}

std::int64_t Problem::moved_bytes() const noexcept {
  // Each tensor's bytes fit; those of several need not.
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t bytes = x_bytes();
  const auto add = [&bytes](std::int64_t more) {
    bytes = more > most - bytes ? most : bytes + more;
  };
  add(y_bytes());
  if (desc_.residual != Residual::none) add(x_bytes());
  if (desc_.epilogue.modulation == Modulation::scale_shift) {
    const std::int64_t of_each =
        samples() * channels() * static_cast<std::int64_t>(size_of(desc_.affine_type));
    add(of_each);
    add(of_each);
  }
  return bytes;
}

std::string Problem::to_string() const {
  std::string text = fastnorm::to_string(desc_.op);
  text += " " + shown(desc_.extents);
  if (!normalises_last_extents(desc_.op)) {
    text += " groups=" + std::to_string(groups());
  } else if (desc_.normalized_rank > 1) {
    text += " normalized_rank=" + std::to_string(desc_.normalized_rank);
  }
  text += std::string(" ") + fastnorm::to_string(desc_.x_type);
  if (desc_.y_type != desc_.x_type) text += std::string("->") + fastnorm::to_string(desc_.y_type);
  if (desc_.affine_type != desc_.x_type) {
    text += std::string(" affine=") + fastnorm::to_string(desc_.affine_type);
  }
  if (desc_.layout != Layout::channels_first) {
    text += std::string(" ") + fastnorm::to_string(desc_.layout);
  }
  if (desc_.x_strides.rank() > 0) text += " " + shown_x_strides(desc_);
  if (desc_.y_strides.rank() > 0) text += " " + shown_y_strides(desc_);
  const EpilogueKey epilogue = EpilogueKey::of(desc_);
  if (!(epilogue == EpilogueKey())) text += " " + fastnorm::to_string(epilogue);
  return text;
}

}  // namespace fastnorm
