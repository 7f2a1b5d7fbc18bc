// SPDX-License-Identifier: Apache-2.0
// The documentation of NormDesc and Epilogue, sentence by sentence.
#include "core/enum_values.hpp"
#include "faults.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace fastnorm::test {
namespace {

constexpr StatusCode invalid = StatusCode::invalid_argument;
constexpr StatusCode unsupported = StatusCode::unsupported;

bool has_channels(const NormDesc& desc) {
  return desc.op == Op::group_norm || desc.op == Op::instance_norm;
}

/// A value that is none of its enum's may be either: it cannot be right, or not yet.
template <class Enum, std::size_t count>
void check_known(const char* name, Enum value, const std::array<Enum, count>& all, Faults& faults) {
  if (std::find(all.begin(), all.end(), value) != all.end()) return;
  const std::string words = std::string(name) + "=" + std::to_string(static_cast<int>(value));
  faults.push_back({invalid, {words}});
  faults.push_back({unsupported, {words}});
}

Faults unknown_values(const NormDesc& desc) {
  Faults faults;
  check_known("op", desc.op, all_ops, faults);
  check_known("x_type", desc.x_type, all_dtypes, faults);
  check_known("y_type", desc.y_type, all_dtypes, faults);
  check_known("affine_type", desc.affine_type, all_dtypes, faults);
  check_known("layout", desc.layout, all_layouts, faults);
  check_known("residual", desc.residual, all_residuals, faults);
  check_known("activation", desc.epilogue.activation, all_activations, faults);
  check_known("gamma", desc.epilogue.gamma, all_gamma_forms, faults);
  check_known("normalised", desc.epilogue.normalised, all_normalised_roundings, faults);
  check_known("modulation", desc.epilogue.modulation, all_modulations, faults);
  return faults;
}

Faults faults_of_ranks(const NormDesc& desc) {
  const int rank = desc.extents.rank();
  const int least = has_channels(desc) ? 2 : 1;
  if (rank < least || rank > Extents::max_rank)
    return {{invalid, {"extents", std::to_string(rank)}}};
  if (!has_channels(desc) && (desc.normalized_rank < 1 || desc.normalized_rank > rank)) {
    return {{invalid, {"normalized_rank=" + std::to_string(desc.normalized_rank)}}};
  }
  return {};
}

void check_extents(const NormDesc& desc, Faults& faults) {
  const int rank = desc.extents.rank();
  long double elements = 1;  // Of the extents that are not 0.
  for (int axis = 0; axis < rank; ++axis) {
    const bool at_least_1 = has_channels(desc) ? axis == 1 : axis >= rank - desc.normalized_rank;
    const std::int64_t extent = desc.extents[axis];
    if (extent < (at_least_1 ? 1 : 0)) faults.push_back({invalid, {"=" + std::to_string(extent)}});
    if (extent > 0) elements *= static_cast<long double>(extent);
  }
  // Of the tensors of such extents, statistics included, the one of the largest type.
  const DType statistics = desc.x_type == DType::f64 ? DType::f64 : DType::f32;
  const std::size_t size = std::max(
      {size_of(desc.x_type), size_of(desc.y_type), size_of(desc.affine_type), size_of(statistics)});
  if (elements * static_cast<long double>(size) >= 0x1p63L) {
    faults.push_back({invalid, {"extents"}});
  }
}

void check_groups(const NormDesc& desc, Faults& faults) {
  const std::int64_t groups = desc.groups;
  const std::int64_t channels = has_channels(desc) ? desc.extents[1] : 1;
  bool right = groups == 0 || groups == channels;
  if (desc.op == Op::group_norm) right = groups >= 1 && channels % groups == 0;
  if (!right) faults.push_back({invalid, {"groups=" + std::to_string(groups)}});
}

void check_numbers(const NormDesc& desc, Faults& faults) {
  if (!std::isfinite(desc.eps) || desc.eps < 0) faults.push_back({invalid, {"eps="}});
  const Epilogue& epilogue = desc.epilogue;
  switch (epilogue.activation) {
    case Activation::leaky_relu:
      if (!std::isfinite(epilogue.slope)) faults.push_back({invalid, {"slope="}});
      break;
    case Activation::elu:
      if (!std::isfinite(epilogue.alpha)) faults.push_back({invalid, {"alpha="}});
      break;
    case Activation::clamp:
      if (std::isnan(epilogue.lower) || std::isnan(epilogue.upper) ||
          epilogue.lower > epilogue.upper) {
        faults.push_back({invalid, {"lower=", "upper="}});
      }
      break;
    default:
      break;
  }
}

void check_types(const NormDesc& desc, Faults& faults) {
  const auto is_half = [](DType type) { return type == DType::f16 || type == DType::bf16; };
  const bool equal = desc.x_type == desc.y_type;
  const bool widened = is_half(desc.x_type) && desc.y_type == DType::f32;
  const bool narrowed = desc.x_type == DType::f32 && is_half(desc.y_type);
  if (!equal && !widened && !narrowed) {
    faults.push_back({unsupported,
                      {std::string("x_type=") + to_string(desc.x_type),
                       std::string("y_type=") + to_string(desc.y_type)}});
  }
  if (desc.affine_type != desc.x_type && desc.affine_type != DType::f32) {
    faults.push_back({unsupported, {std::string("affine_type=") + to_string(desc.affine_type)}});
  }
  if (!has_channels(desc) && desc.layout != Layout::channels_first) {
    faults.push_back({unsupported, {"layout="}});
  }
}

/// From the smallest stride up, each has to be larger than what the smaller ones reach over.
void check_strides(const char* name, const Strides& strides, DType type, const Extents& extents,
                   Faults& faults) {
  if (strides.rank() == 0) return;
  const std::string words = std::string(name) + "_strides=";
  if (strides.rank() != extents.rank()) {
    faults.push_back({invalid, {words}});
    return;
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // A stride, and how often it is taken.
  for (int axis = 0; axis < extents.rank(); ++axis) {
    if (extents[axis] > 1) steps.emplace_back(strides[axis], extents[axis] - 1);
  }
  std::sort(steps.begin(), steps.end());
  long double reach = 0;
  for (const auto& [stride, count] : steps) {
    if (stride < 1 || static_cast<long double>(stride) <= reach)
      faults.push_back({invalid, {words}});
    reach += static_cast<long double>(stride) * static_cast<long double>(count);
  }
  if ((reach + 1) * static_cast<long double>(size_of(type)) >= 0x1p63L) {
    faults.push_back({invalid, {words}});
  }
}

}  // namespace

bool is_empty(const NormDesc& desc) {
  for (int axis = 0; axis < desc.extents.rank(); ++axis) {
    if (desc.extents[axis] == 0) return true;
  }
  return false;
}

Faults faults_of_arguments(const NormDesc& desc) {
  Faults faults = unknown_values(desc);
  if (!faults.empty()) return faults;
  // The number of extents decides what the others mean.
  faults = faults_of_ranks(desc);
  if (!faults.empty()) return faults;
  check_extents(desc, faults);
  check_groups(desc, faults);
  check_numbers(desc, faults);
  check_types(desc, faults);
  check_strides("x", desc.x_strides, desc.x_type, desc.extents, faults);
  check_strides("y", desc.y_strides, desc.y_type, desc.extents, faults);
  // What has no strides has a form.
  const bool has_strides = desc.x_strides.rank() > 0 || desc.y_strides.rank() > 0;
  if (faults.empty() && has_strides && !has_form(desc)) {
    faults.push_back({unsupported, {"strides="}});
  }
  return faults;
}

}  // namespace fastnorm::test
