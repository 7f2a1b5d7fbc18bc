// SPDX-License-Identifier: Apache-2.0
/// What a caller in C has passed, in the terms of the C++ interface.
#pragma once

#include <fastnorm/fastnorm.h>
#include <fastnorm/norm_desc.hpp>
#include <fastnorm/plan.hpp>
#include <fastnorm/status.hpp>

#include <cstdint>
#include <string>

namespace fastnorm::c_api {

/// The refusal of a null pointer; `what` is what it must point to.
Status missing(const char* name, const std::string& what);

// Each fails for null (where the struct must be there), by the rules of versioned structs, and for
// values that the C++ types cannot hold. All else is the library's to judge.
Status read(const fastnorm_norm_desc* from, NormDesc& to);
Status read(const fastnorm_norm_args* from, NormArgs& to);
/// Null: the defaults. `name` is the argument's.
Status read(const char* name, const fastnorm_plan_options* from, PlanOptions& to);
Status read_extents(const std::int64_t* from, std::int32_t rank, Extents& to);

/// A call without a plan.
struct Call {
  NormDesc desc{};
  NormArgs args{};
  Stream stream{};
  PlanOptions plan{};
};

/// Deals the options out to where they belong: all of the call but the operation with its own
/// numbers, the extents, x, y, gamma and beta. Null: the defaults. The extents are there already.
Status read(const fastnorm_norm_options* from, Call& to);

}  // namespace fastnorm::c_api
