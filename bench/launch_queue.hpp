// SPDX-License-Identifier: Apache-2.0
/// Where calls are enqueued, and the barest way to enqueue a plan's kernels there.
#pragma once

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/plan.hpp>
#include <fastnorm/status.hpp>

#include <functional>
#include <memory>

namespace fastnorm::bench {

class LaunchQueue {
 public:
  virtual ~LaunchQueue() = default;

  virtual Stream stream() const noexcept = 0;

  /// Waits until everything enqueued is done.
  virtual Status drain() = 0;

  /// A function that launches the kernels of plan.execute(args, workspace) and does nothing else.
  /// It is valid as long as the plan is.
  virtual Result<std::function<Status()>> bare_launch(const Plan& plan, const NormArgs& args,
                                                      void* workspace) = 0;
};

std::unique_ptr<LaunchQueue> make_host_queue();

/// A stream of the current CUDA device. Errors: unavailable in a build without CUDA; device_error.
Result<std::unique_ptr<LaunchQueue>> make_device_queue();

}  // namespace fastnorm::bench
