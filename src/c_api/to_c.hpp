// SPDX-License-Identifier: Apache-2.0
/// Structs of the C++ interface as a caller in C gets them.
#pragma once

#include <fastnorm/fastnorm.h>
#include <fastnorm/norm_desc.hpp>

#include <array>
#include <cstdint>

namespace fastnorm::c_api {

/// The defaults, which are those of the C++ structs.
fastnorm_epilogue default_epilogue() noexcept;
fastnorm_norm_desc default_norm_desc() noexcept;
fastnorm_norm_args default_norm_args() noexcept;
fastnorm_plan_options default_plan_options() noexcept;
fastnorm_norm_options default_norm_options() noexcept;
fastnorm_backend_info default_backend_info() noexcept;

/// What a descriptor of C points to.
struct DescStorage {
  using Numbers = std::array<std::int64_t, Extents::max_rank>;
  Numbers extents{};
  Numbers x_strides{};
  Numbers y_strides{};
  fastnorm_epilogue epilogue{};
};

/// The result points into the storage.
fastnorm_norm_desc to_c(const NormDesc& desc, DescStorage& storage) noexcept;

}  // namespace fastnorm::c_api
