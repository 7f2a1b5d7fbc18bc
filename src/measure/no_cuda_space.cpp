// SPDX-License-Identifier: Apache-2.0
/// Takes the place of cuda_space.cu in a build without CUDA.
#include "measure/space.hpp"

namespace fastnorm::measure {

Result<std::unique_ptr<Space>> make_cuda_space(const DeviceInfo& device) {
  return Status(StatusCode::unavailable,
                "cannot measure on " + device.name + ": this build has no CUDA");
}

}  // namespace fastnorm::measure
