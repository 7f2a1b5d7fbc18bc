#include "core/problem.hpp"

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

std::string axis_name(int axis) {
  if (axis == 0) return "N";
  if (axis == 1) return "C";
  return "spatial extent " + std::to_string(axis - 2);
}

Status check_extents(const Extents& extents) {
  if (extents.rank() < 2 || extents.rank() > Extents::max_rank) {
    return invalid("extents have rank " + std::to_string(extents.rank()) +
                   "; allowed are N, C and up to " + std::to_string(Extents::max_rank - 2) +
                   " spatial extents");
  }
  for (int axis = 0; axis < extents.rank(); ++axis) {
    const std::int64_t least = axis == 1 ? 1 : 0;
    if (extents[axis] < least) {
      return invalid(axis_name(axis) + "=" + std::to_string(extents[axis]) + " must be at least " +
                     std::to_string(least));
    }
  }
  return {};
}

/// Multiplies the extents that are not zero, so that an empty tensor of absurd extents is refused
/// like any other: no later product of a part of them can overflow then.
bool bytes_fit(const Extents& extents, std::size_t element_size) {
  std::int64_t left =
      std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(element_size);
  for (int axis = 0; axis < extents.rank(); ++axis) {
    if (extents[axis] > 1) left /= extents[axis];
  }
  return left > 0;
}

Status check_offered(const NormDesc& desc) {
  const auto refuse = [](const char* argument, DType type) {
    return unsupported(std::string(argument) + "=" + to_string(type) +
                       " is not offered; supported: f32");
  };
  if (desc.x_type != DType::f32) return refuse("x_type", desc.x_type);
  if (desc.y_type != DType::f32) return refuse("y_type", desc.y_type);
  if (desc.affine_type != DType::f32) return refuse("affine_type", desc.affine_type);
  if (desc.layout != Layout::channels_first) {
    return unsupported(std::string("layout=") + fastnorm::to_string(desc.layout) +
                       " is not offered; supported: channels_first");
  }
  return {};
}

Result<CanonicalForm> canonical_form(const NormDesc& desc, std::int64_t inner) {
  switch (desc.op) {
    case Op::group_norm:
      return group_norm_form(desc, inner);
    case Op::instance_norm:
      return instance_norm_form(desc, inner);
  }
  return unsupported("op=" + std::to_string(static_cast<int>(desc.op)) +
                     " is not offered; supported: group_norm, instance_norm");
}

}  // namespace

Result<Problem> Problem::create(const NormDesc& desc) {
  if (Status status = check_extents(desc.extents); !status.ok()) return status;
  const std::size_t largest_element = std::max(size_of(desc.x_type), size_of(desc.y_type));
  if (largest_element == 0) return unsupported("x_type or y_type is not a known element type");
  if (!bytes_fit(desc.extents, largest_element)) {
    return invalid("extents: the tensor's size in bytes exceeds 2^63 - 1");
  }
  if (!(desc.eps >= 0.0) || !std::isfinite(desc.eps)) {
    char eps[32];
    std::snprintf(eps, sizeof eps, "%g", desc.eps);
    return invalid(std::string("eps=") + eps + " must be finite and not negative");
  }
  if (Status status = check_offered(desc); !status.ok()) return status;

  std::int64_t inner = 1;
  for (int axis = 2; axis < desc.extents.rank(); ++axis) inner *= desc.extents[axis];
  Result<CanonicalForm> form = canonical_form(desc, inner);
  if (!form.ok()) return form.status();

  Problem problem;
  problem.desc_ = desc;
  problem.rows_ = form.value().rows;
  problem.row_len_ = form.value().row_len;
  problem.affine_ = form.value().affine;
  return problem;
}

std::int64_t Problem::x_bytes() const noexcept {
  return elements() * static_cast<std::int64_t>(size_of(desc_.x_type));
}

std::int64_t Problem::y_bytes() const noexcept {
  return elements() * static_cast<std::int64_t>(size_of(desc_.y_type));
}

std::string Problem::to_string() const {
  std::string text = fastnorm::to_string(desc_.op);
  for (int axis = 0; axis < desc_.extents.rank(); ++axis) {
    text += (axis == 0 ? " " : "x") + std::to_string(desc_.extents[axis]);
  }
  return text + " groups=" + std::to_string(groups()) + " " + fastnorm::to_string(desc_.x_type);
}

}  // namespace fastnorm
