// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/coresidency.hpp"

#include "backends/cuda/cuda_status.hpp"
#include "backends/cuda/device_guard.hpp"

#include <string>

namespace fastnorm::cuda {

Result<std::int64_t> resident_blocks(const KernelLaunch& launch, const DeviceInfo& device) {
  if (Status status = launch.load(device.ordinal); !status.ok()) return status;
  const DeviceGuard guard(device.ordinal);
  if (guard.error() != cudaSuccess) return to_status(guard.error(), "cudaSetDevice");
  const bool in_clusters = launch.cluster_blocks > 1;
  const Result<int> count = in_clusters ? launch.active_clusters() : launch.blocks_per_processor();
  if (!count.ok()) return count.status();
  return std::int64_t{count.value()} * (in_clusters ? launch.cluster_blocks : device.processors);
}

Result<std::int64_t> load_with_room(const KernelLaunch& launch, const DeviceInfo& device,
                                    const ResidentBlocks& resident_blocks) {
  const Result<std::int64_t> room = resident_blocks(launch, device);
  const std::int64_t wanted = launch.blocks_at_once();
  if (!room.ok() || room.value() >= wanted) return room;
  return Status(StatusCode::unsupported,
                std::string(launch.name) + " needs " + std::to_string(wanted) +
                    " blocks resident at once, of " + std::to_string(launch.threads) +
                    " threads and " + std::to_string(launch.shared_bytes) +
                    " bytes of dynamic shared memory each; " + device.name + " holds " +
                    std::to_string(room.value()));
}

}  // namespace fastnorm::cuda
