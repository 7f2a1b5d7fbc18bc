// SPDX-License-Identifier: Apache-2.0
#include "launch_queue.hpp"

namespace fastnorm::bench {

Result<std::unique_ptr<LaunchQueue>> make_device_queue() {
  return Status(StatusCode::unavailable, "this build has no CUDA");
}

}  // namespace fastnorm::bench
