/// One call for the simple case. Plans are cached by descriptor, so a repeated call costs a hash
/// lookup, the pointer checks and the launch.
#pragma once

#include <fastnorm/export.hpp>
#include <fastnorm/norm_desc.hpp>
#include <fastnorm/plan.hpp>
#include <fastnorm/status.hpp>

#include <cstdint>

namespace fastnorm {

/// What most callers leave alone.
struct NormOptions {
  double eps = 1e-5;
  float* mean = nullptr;  ///< Optional output [N, groups].
  float* rstd = nullptr;  ///< Optional output [N, groups].
  Stream stream{};
  PlanOptions plan{};
};

/// Group normalization over contiguous channels-first fp32 tensors: y = GroupNorm(x) as NormDesc
/// states it, with statistics over each of `groups` equal parts of the C channels.
///
/// `extents` is N, C, spatial...; x and y hold their product, gamma and beta [C] each or null.
/// Pointers may be device, managed, pinned or (back end for the host) plain memory; with
/// MemorySpace::automatic the work runs on the device if x or y is device or managed memory, else
/// on the host if this build has a host back end and can access all of them. On a device the work
/// is enqueued on `options.stream` and the call returns at once; the library owns the workspace,
/// one per device and stream, and one more, kept until the process ends, for each graph capture
/// that a call takes part in (Plan::execute takes the caller's instead). On the host the call
/// returns when y is written.
///
/// Errors: those of Plan::create and Plan::execute, and invalid_argument for a pointer that the
/// device cannot access. On error nothing is launched and nothing written.
FASTNORM_API Status group_norm(const Extents& extents, std::int64_t groups, const float* x,
                               float* y, const float* gamma = nullptr, const float* beta = nullptr,
                               const NormOptions& options = {});

/// Instance normalization: the same with every channel a group of its own.
FASTNORM_API Status instance_norm(const Extents& extents, const float* x, float* y,
                                  const float* gamma = nullptr, const float* beta = nullptr,
                                  const NormOptions& options = {});

/// Any descriptor: what the two functions above call.
FASTNORM_API Status normalize(const NormDesc& desc, const NormArgs& args, Stream stream = {},
                              const PlanOptions& options = {});

}  // namespace fastnorm
