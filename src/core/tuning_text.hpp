// SPDX-License-Identifier: Apache-2.0
/// Keys and shapes of the tuning database in words, for people and for comparisons between
/// processes: what is equal has one text, what is not has another.
#pragma once

#include "core/tuning_db.hpp"

#include <string>

namespace fastnorm {

/// "group_norm f32", "layer_norm bf16->f32 affine f32 channels_last silu residual": a key's part
/// that a problem decides. What is left at its default is left out.
std::string operation_text(const TuningKey& key);

/// "n=2 c=320 groups=32 inner=4096".
std::string to_string(const TuningShape& shape);

}  // namespace fastnorm
