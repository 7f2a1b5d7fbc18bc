// SPDX-License-Identifier: Apache-2.0
/// Loading and launching kernels.
#pragma once

#include <fastnorm/status.hpp>
#include <fastnorm/types.hpp>

#include <cstdint>
#include <limits>

namespace fastnorm::cuda {

/// Whether a grid's blocks must all be resident at once, because they wait for each other.
enum class GridKind { independent, cooperative };

/// A kernel with its grid; what a call adds are the arguments and the stream.
struct KernelLaunch {
  const char* name = "";
  const void* kernel = nullptr;
  unsigned int blocks = 0;
  int threads = 0;
  int shared_bytes = 0;  ///< Dynamic.
  int cluster_blocks = 1;
  GridKind grid = GridKind::independent;
  /// Of code from older PTX the kernel's body is empty. As cudaFuncAttributes::ptxVersion counts.
  int least_ptx_version = 0;

  /// Blocks that wait for each other, so that the device must hold them at once; 1 where none does.
  std::int64_t blocks_at_once() const noexcept {
    return grid == GridKind::cooperative ? blocks : cluster_blocks;
  }

  /// Loads the kernel on the device now, so that a first launch waits for nothing, and allows it
  /// the shared memory and the cluster size that it wants. Once, when a plan is made. `unsupported`
  /// where the code that the device would run is older than least_ptx_version.
  Status load(int device) const;

  Status enqueue(void** arguments, Stream stream) const;

  /// Blocks that a processor of the current device holds at once; 0 if the kernel cannot run there.
  /// After load().
  Result<int> blocks_per_processor() const;

  /// Clusters that the current device holds at once. After load().
  Result<int> active_clusters() const;
};

/// Blocks that a grid may have.
inline constexpr std::int64_t most_grid_blocks = std::numeric_limits<std::int32_t>::max();

/// Blocks of a grid that has `items` to do; the kernels loop where there are more.
unsigned int grid_blocks(std::int64_t items) noexcept;

}  // namespace fastnorm::cuda
