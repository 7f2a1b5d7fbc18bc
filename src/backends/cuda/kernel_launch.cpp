// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/kernel_launch.hpp"

#include "backends/cuda/cuda_status.hpp"
#include "backends/cuda/device_guard.hpp"
#include "backends/cuda/relaxed_capture.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string>

namespace fastnorm::cuda {
namespace {

/// More than this many blocks a cluster are allowed on some devices only, and must be asked for.
constexpr int portable_cluster_blocks = 8;

/// The launch in the runtime's terms; `attributes` must outlive it.
cudaLaunchConfig_t runtime_config(const KernelLaunch& launch, Stream stream,
                                  std::array<cudaLaunchAttribute, 2>& attributes) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(launch.blocks);
  config.blockDim = dim3(static_cast<unsigned int>(launch.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(launch.shared_bytes);
  config.stream = static_cast<cudaStream_t>(stream.handle);
  config.attrs = attributes.data();
  if (launch.grid == GridKind::cooperative) {
    cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  }
  if (launch.cluster_blocks > 1) {
    cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned int>(launch.cluster_blocks);
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
  }
  return config;
}

}  // namespace

Status KernelLaunch::load(int device) const {
  const DeviceGuard guard(device);
  if (guard.error() != cudaSuccess) return to_status(guard.error(), "cudaSetDevice");
  const RelaxedCapture relaxed;
  const std::string what = std::string("loading ") + name;
  // Plans are made by several threads at once, and none may take back what another was granted.
  static std::mutex& granting = *new std::mutex;
  const std::lock_guard lock(granting);
  cudaFuncAttributes attributes{};
  cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  // 0 would be an answer that tells nothing.
  if (error == cudaSuccess && attributes.ptxVersion > 0 &&
      attributes.ptxVersion < least_ptx_version) {
    return Status(StatusCode::unsupported,
                  std::string(name) + " needs code from PTX " + std::to_string(least_ptx_version) +
                      " or newer; this build's for the device is from PTX " +
                      std::to_string(attributes.ptxVersion));
  }
  if (error == cudaSuccess && shared_bytes > attributes.maxDynamicSharedSizeBytes) {
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  }
  if (error == cudaSuccess && cluster_blocks > portable_cluster_blocks) {
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  }
  return to_status(error, what);
}

Status KernelLaunch::enqueue(void** arguments, Stream stream) const {
  std::array<cudaLaunchAttribute, 2> attributes{};
  const cudaLaunchConfig_t config = runtime_config(*this, stream, attributes);
  const cudaError_t error = cudaLaunchKernelExC(&config, kernel, arguments);
  if (error == cudaSuccess) return {};
  return to_status(error, std::string("launching ") + name);
}

Result<int> KernelLaunch::blocks_per_processor() const {
  const RelaxedCapture relaxed;
  int blocks_at_once = 0;
  const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks_at_once, kernel, threads, static_cast<std::size_t>(shared_bytes));
  if (error != cudaSuccess) return to_status(error, std::string("asking the occupancy of ") + name);
  return blocks_at_once;
}

Result<int> KernelLaunch::active_clusters() const {
  const RelaxedCapture relaxed;
  std::array<cudaLaunchAttribute, 2> attributes{};
  const cudaLaunchConfig_t config = runtime_config(*this, Stream{}, attributes);
  int clusters = 0;
  const cudaError_t error = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
  if (error != cudaSuccess) {
    return to_status(error, std::string("asking how many clusters there can be of ") + name);
  }
  return clusters;
}

unsigned int grid_blocks(std::int64_t items) noexcept {
  return static_cast<unsigned int>(std::min(items, most_grid_blocks));
}

}  // namespace fastnorm::cuda
