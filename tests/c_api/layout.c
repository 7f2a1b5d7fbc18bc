// SPDX-License-Identifier: Apache-2.0
/// Where a C compiler has the members of the structs: what declarations in other languages are held
/// against.
#include <fastnorm/fastnorm.h>

#include <stddef.h>

typedef struct member {
  const char* name;
  size_t offset;
  size_t bytes;
} member;

#define MEMBER(type, name) \
  { #type "." #name, offsetof(type, name), sizeof(((type*)0)->name) }

static const member members[] = {
    MEMBER(fastnorm_epilogue, struct_size),
    MEMBER(fastnorm_epilogue, activation),
    MEMBER(fastnorm_epilogue, slope),
    MEMBER(fastnorm_epilogue, alpha),
    MEMBER(fastnorm_epilogue, lower),
    MEMBER(fastnorm_epilogue, upper),
    MEMBER(fastnorm_epilogue, gamma),
    MEMBER(fastnorm_epilogue, normalised),
    MEMBER(fastnorm_epilogue, modulation),
    MEMBER(fastnorm_norm_desc, struct_size),
    MEMBER(fastnorm_norm_desc, op),
    MEMBER(fastnorm_norm_desc, rank),
    MEMBER(fastnorm_norm_desc, extents),
    MEMBER(fastnorm_norm_desc, groups),
    MEMBER(fastnorm_norm_desc, eps),
    MEMBER(fastnorm_norm_desc, normalized_rank),
    MEMBER(fastnorm_norm_desc, x_type),
    MEMBER(fastnorm_norm_desc, y_type),
    MEMBER(fastnorm_norm_desc, affine_type),
    MEMBER(fastnorm_norm_desc, layout),
    MEMBER(fastnorm_norm_desc, residual),
    MEMBER(fastnorm_norm_desc, x_strides),
    MEMBER(fastnorm_norm_desc, y_strides),
    MEMBER(fastnorm_norm_desc, epilogue),
    MEMBER(fastnorm_norm_args, struct_size),
    MEMBER(fastnorm_norm_args, x),
    MEMBER(fastnorm_norm_args, y),
    MEMBER(fastnorm_norm_args, gamma),
    MEMBER(fastnorm_norm_args, beta),
    MEMBER(fastnorm_norm_args, mean),
    MEMBER(fastnorm_norm_args, rstd),
    MEMBER(fastnorm_norm_args, residual),
    MEMBER(fastnorm_norm_args, sum),
    MEMBER(fastnorm_norm_args, scale),
    MEMBER(fastnorm_norm_args, shift),
    MEMBER(fastnorm_plan_options, struct_size),
    MEMBER(fastnorm_plan_options, memory),
    MEMBER(fastnorm_plan_options, device),
    MEMBER(fastnorm_plan_options, deterministic),
    MEMBER(fastnorm_plan_options, tuning),
    MEMBER(fastnorm_plan_options, launches),
    MEMBER(fastnorm_plan_options, backend),
    MEMBER(fastnorm_plan_options, strategy),
    MEMBER(fastnorm_plan_options, config),
    MEMBER(fastnorm_norm_options, struct_size),
    MEMBER(fastnorm_norm_options, eps),
    MEMBER(fastnorm_norm_options, x_type),
    MEMBER(fastnorm_norm_options, y_type),
    MEMBER(fastnorm_norm_options, affine_type),
    MEMBER(fastnorm_norm_options, layout),
    MEMBER(fastnorm_norm_options, residual_sum),
    MEMBER(fastnorm_norm_options, x_strides),
    MEMBER(fastnorm_norm_options, y_strides),
    MEMBER(fastnorm_norm_options, mean),
    MEMBER(fastnorm_norm_options, rstd),
    MEMBER(fastnorm_norm_options, residual),
    MEMBER(fastnorm_norm_options, sum),
    MEMBER(fastnorm_norm_options, scale),
    MEMBER(fastnorm_norm_options, shift),
    MEMBER(fastnorm_norm_options, epilogue),
    MEMBER(fastnorm_norm_options, stream),
    MEMBER(fastnorm_norm_options, plan),
    MEMBER(fastnorm_backend_info, struct_size),
    MEMBER(fastnorm_backend_info, memory),
    MEMBER(fastnorm_backend_info, processors),
    MEMBER(fastnorm_backend_info, device_name),
    MEMBER(fastnorm_backend_info, host_space),
    MEMBER(fastnorm_backend_info, instruction_set),
    MEMBER(fastnorm_backend_info, cuda_version),
    MEMBER(fastnorm_backend_info, kokkos_version),
};

FASTNORM_API const member* layout_member(size_t index);

/// Null behind the last one.
const member* layout_member(size_t index) {
  return index < sizeof members / sizeof *members ? &members[index] : NULL;
}
