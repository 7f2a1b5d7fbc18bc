// SPDX-License-Identifier: Apache-2.0
#include "measure/call.hpp"

namespace fastnorm::measure {

Call call_of(const Plan& plan) {
  const std::size_t bytes = plan.workspace_bytes();
  return {[plan, bytes](const NormArgs& args, void* workspace, Stream stream) {
            return plan.execute(args, workspace, bytes, stream);
          },
          bytes};
}

}  // namespace fastnorm::measure
