// SPDX-License-Identifier: Apache-2.0
#include "c_api/to_c.hpp"

#include "c_api/structs.hpp"
#include "c_api/versioned_struct.hpp"

#include <fastnorm/backend_info.hpp>
#include <fastnorm/norm.hpp>
#include <fastnorm/plan.hpp>

namespace fastnorm::c_api {
namespace {

template <class Enum>
std::int32_t number(Enum value) noexcept {
  return static_cast<std::int32_t>(value);
}

fastnorm_epilogue to_c(const Epilogue& epilogue) noexcept {
  fastnorm_epilogue to{};
  to.struct_size = sizeof to;
  to.activation = number(epilogue.activation);
  to.slope = epilogue.slope;
  to.alpha = epilogue.alpha;
  to.lower = epilogue.lower;
  to.upper = epilogue.upper;
  to.gamma = number(epilogue.gamma);
  to.normalised = number(epilogue.normalised);
  to.modulation = number(epilogue.modulation);
  return to;
}

/// All of it but the members that point somewhere, and the rank of what they point to.
fastnorm_norm_desc without_pointers(const NormDesc& desc) noexcept {
  fastnorm_norm_desc to{};
  to.struct_size = sizeof to;
  to.op = number(desc.op);
  to.groups = desc.groups;
  to.eps = desc.eps;
  to.normalized_rank = desc.normalized_rank;
  to.x_type = number(desc.x_type);
  to.y_type = number(desc.y_type);
  to.affine_type = number(desc.affine_type);
  to.layout = number(desc.layout);
  to.residual = number(desc.residual);
  return to;
}

/// Null where there are none.
const std::int64_t* store(const Extents& extents, DescStorage::Numbers& storage) noexcept {
  for (int axis = 0; axis < extents.rank(); ++axis) {
    storage[static_cast<std::size_t>(axis)] = extents[axis];
  }
  return extents.rank() > 0 ? storage.data() : nullptr;
}

/// What the _init functions do.
template <class Struct>
void init(Struct* to, std::size_t struct_size, const Struct& defaults) noexcept {
  if (to != nullptr) write_struct(&defaults, sizes_of<Struct>, to, struct_size);
}

}  // namespace

fastnorm_epilogue default_epilogue() noexcept { return to_c(Epilogue()); }

fastnorm_norm_desc default_norm_desc() noexcept { return without_pointers(NormDesc()); }

fastnorm_norm_args default_norm_args() noexcept {
  fastnorm_norm_args args{};
  args.struct_size = sizeof args;
  return args;
}

fastnorm_plan_options default_plan_options() noexcept {
  const PlanOptions defaults;
  fastnorm_plan_options options{};
  options.struct_size = sizeof options;
  options.memory = number(defaults.memory);
  options.device = defaults.device;
  options.deterministic = defaults.deterministic ? 1 : 0;
  options.tuning = number(defaults.tuning);
  options.launches = number(defaults.launches);
  return options;
}

fastnorm_norm_options default_norm_options() noexcept {
  const NormOptions defaults;
  const NormDesc types;
  fastnorm_norm_options options{};
  options.struct_size = sizeof options;
  options.eps = defaults.eps;
  options.x_type = number(types.x_type);
  options.y_type = number(types.y_type);
  options.affine_type = number(types.affine_type);
  options.layout = number(defaults.layout);
  options.residual_sum = number(defaults.residual_sum);
  return options;
}

fastnorm_backend_info default_backend_info() noexcept {
  fastnorm_backend_info info{};
  info.struct_size = sizeof info;
  info.memory = number(BackendInfo().memory);
  return info;
}

fastnorm_norm_desc to_c(const NormDesc& desc, DescStorage& storage) noexcept {
  fastnorm_norm_desc to = without_pointers(desc);
  to.rank = desc.extents.rank();
  to.extents = store(desc.extents, storage.extents);
  to.x_strides = store(desc.x_strides, storage.x_strides);
  to.y_strides = store(desc.y_strides, storage.y_strides);
  storage.epilogue = to_c(desc.epilogue);
  to.epilogue = &storage.epilogue;
  return to;
}

}  // namespace fastnorm::c_api

using namespace fastnorm::c_api;

void fastnorm_epilogue_init(fastnorm_epilogue* epilogue, size_t struct_size) {
  init(epilogue, struct_size, default_epilogue());
}

void fastnorm_norm_desc_init(fastnorm_norm_desc* desc, size_t struct_size) {
  init(desc, struct_size, default_norm_desc());
}

void fastnorm_norm_args_init(fastnorm_norm_args* args, size_t struct_size) {
  init(args, struct_size, default_norm_args());
}

void fastnorm_plan_options_init(fastnorm_plan_options* options, size_t struct_size) {
  init(options, struct_size, default_plan_options());
}

void fastnorm_norm_options_init(fastnorm_norm_options* options, size_t struct_size) {
  init(options, struct_size, default_norm_options());
}

void fastnorm_backend_info_init(fastnorm_backend_info* info, size_t struct_size) {
  init(info, struct_size, default_backend_info());
}
