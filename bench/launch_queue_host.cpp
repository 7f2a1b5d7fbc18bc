// SPDX-License-Identifier: Apache-2.0
#include "core/plan_impl.hpp"
#include "launch_queue.hpp"

namespace fastnorm::bench {
namespace {

/// Calls return when the work is done; what is below the plan is its executable.
class HostQueue final : public LaunchQueue {
 public:
  Stream stream() const noexcept override { return {}; }
  Status drain() override { return {}; }
  Result<std::function<Status()>> bare_launch(const Plan& plan, const NormArgs& args,
                                              void* workspace) override {
    const Executable& executable = *plan.impl().primary;
    return std::function<Status()>(
        [&executable, args, workspace] { return executable.launch(args, workspace, {}); });
  }
};

}  // namespace

std::unique_ptr<LaunchQueue> make_host_queue() { return std::make_unique<HostQueue>(); }

}  // namespace fastnorm::bench
