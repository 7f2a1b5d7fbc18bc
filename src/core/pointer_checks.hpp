// SPDX-License-Identifier: Apache-2.0
/// What can be wrong with a call's pointers.
#pragma once

#include "core/backend.hpp"
#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <array>
#include <cstddef>

namespace fastnorm {

/// In the order x, y, gamma, beta, mean, rstd, residual, sum, scale, shift.
inline constexpr std::size_t tensor_count = 10;
using PointerInfos = std::array<PointerInfo, tensor_count>;

/// What kind of memory each pointer leads to. Once a call: each answer is a look-up in the driver,
/// so that tensors in place of another are not looked up again. Without a working device everything
/// is plain host memory.
PointerInfos classify(const NormArgs& args);

/// Tensors that are missing, misaligned, overlapping, or there without the descriptor's asking for
/// them. Success allocates nothing.
Status check_arguments(const Problem& problem, const NormArgs& args);

/// The workspace that a caller hands to a plan, which uses the first `needed` bytes of it.
struct WorkspaceArgument {
  const void* data;
  std::size_t bytes;
  std::size_t needed;
};

/// The same, and a workspace that is null, too small, misaligned or not apart from every tensor.
Status check_arguments(const Problem& problem, const NormArgs& args,
                       const WorkspaceArgument& workspace);

/// Whether the device may touch every tensor that is there. Success allocates nothing.
Status check_accessible(const NormArgs& args, const PointerInfos& infos, const Backend& backend,
                        const DeviceInfo& device);

}  // namespace fastnorm
