// SPDX-License-Identifier: Apache-2.0
/// The sizes of the C interface's structs. A struct ends, in the first version that had it, with
/// the last member that it had then.
#pragma once

#include "c_api/versioned_struct.hpp"

#include <fastnorm/fastnorm.h>

#include <cstddef>

namespace fastnorm::c_api {

template <class Struct>
inline constexpr StructSizes sizes_of = {};
template <>
inline constexpr StructSizes sizes_of<fastnorm_epilogue> = {
    offsetof(fastnorm_epilogue, modulation) + sizeof(fastnorm_modulation),
    sizeof(fastnorm_epilogue)};
template <>
inline constexpr StructSizes sizes_of<fastnorm_norm_desc> = {
    offsetof(fastnorm_norm_desc, epilogue) + sizeof(void*), sizeof(fastnorm_norm_desc)};
template <>
inline constexpr StructSizes sizes_of<fastnorm_norm_args> = {
    offsetof(fastnorm_norm_args, shift) + sizeof(void*), sizeof(fastnorm_norm_args)};
template <>
inline constexpr StructSizes sizes_of<fastnorm_plan_options> = {
    offsetof(fastnorm_plan_options, config) + sizeof(void*), sizeof(fastnorm_plan_options)};
template <>
inline constexpr StructSizes sizes_of<fastnorm_norm_options> = {
    offsetof(fastnorm_norm_options, plan) + sizeof(void*), sizeof(fastnorm_norm_options)};
template <>
inline constexpr StructSizes sizes_of<fastnorm_backend_info> = {
    offsetof(fastnorm_backend_info, kokkos_version) + sizeof(void*), sizeof(fastnorm_backend_info)};

// No padding at the end: it would be taken for members of a later version. Whoever adds a member
// says here which is the last one of now.
static_assert(sizes_of<fastnorm_epilogue>.now == sizes_of<fastnorm_epilogue>.first);
static_assert(sizes_of<fastnorm_norm_desc>.now == sizes_of<fastnorm_norm_desc>.first);
static_assert(sizes_of<fastnorm_norm_args>.now == sizes_of<fastnorm_norm_args>.first);
static_assert(sizes_of<fastnorm_plan_options>.now == sizes_of<fastnorm_plan_options>.first);
static_assert(sizes_of<fastnorm_norm_options>.now == sizes_of<fastnorm_norm_options>.first);
static_assert(sizes_of<fastnorm_backend_info>.now == sizes_of<fastnorm_backend_info>.first);

}  // namespace fastnorm::c_api
