#include "backends/cuda/row_space.hpp"

#include "backends/cuda/cuda_status.hpp"
#include "backends/cuda/kernel_table.hpp"
#include "backends/cuda/relaxed_capture.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace fastnorm::cuda {
namespace {

/// Where rows are shorter than this, a narrower vector keeps more threads busy.
constexpr std::int64_t short_row = 4096;

}  // namespace

Support supports_row_config(const RowConfig& config, const DeviceInfo& device) {
  if (!contains(VecWidths{}, config.vec_width)) {
    return Support::no("vec_width=" + std::to_string(config.vec_width) + " must be 1, 2 or 4");
  }
  if (!contains(Unrolls{}, config.unroll)) {
    return Support::no("unroll=" + std::to_string(config.unroll) + " must be 1, 2, 4 or 8");
  }
  const int most =
      std::min(max_threads(config.vec_width, config.unroll), device.max_threads_per_block);
  if (config.threads < 64 || config.threads > most || config.threads % 32 != 0) {
    return Support::no("threads=" + std::to_string(config.threads) +
                       " must be a multiple of 32 from 64 to " + std::to_string(most) +
                       " with this vec_width and unroll");
  }
  return Support::yes();
}

std::vector<RowConfig> row_configs(const Problem& problem, const DeviceInfo& device,
                                   std::int64_t block_len) {
  const bool exceeds_l2 = 2 * (problem.x_bytes() + problem.y_bytes()) > device.l2_bytes;
  std::vector<RowConfig> configs;
  for (const int threads : {64, 128, 256, 512, 1024}) {
    for (const int vec_width : {1, 2, 4}) {
      if (vec_width < 4 && block_len >= short_row) continue;
      const std::int64_t tile = std::int64_t{threads} * vec_width;
      if (threads > 64 && tile / 2 >= block_len)
        continue;  // Half of the threads would have nothing.
      for (const int unroll : {1, 2, 4, 8}) {
        if (unroll > 1 && tile * (unroll / 2) >= block_len) continue;
        for (const WalkOrder order : {WalkOrder::forward, WalkOrder::backward}) {
          for (const CacheHint cache : {CacheHint::keep, CacheHint::stream}) {
            const bool plain = order == WalkOrder::forward && cache == CacheHint::keep;
            if (!plain && !exceeds_l2) continue;
            RowConfig config;
            config.threads = threads;
            config.vec_width = vec_width;
            config.unroll = unroll;
            config.second_read = order;
            config.cache = cache;
            if (supports_row_config(config, device).ok) configs.push_back(config);
          }
        }
      }
    }
  }
  return configs;
}

RowParams<float> row_params(const Problem& problem, const RowConfig& config) {
  RowParams<float> params;
  params.eps = static_cast<float>(problem.eps());
  RowGeometry& geometry = params.geometry;
  geometry.rows = problem.rows();
  geometry.row_len = problem.row_len();
  geometry.row_period = problem.affine().row_period;
  geometry.channels_per_row = problem.affine().channels_per_row;
  geometry.inner = problem.affine().inner;
  geometry.narrow_inner = geometry.inner < page_len;
  if (geometry.narrow_inner) {
    geometry.by_inner = FastDivide(static_cast<std::uint32_t>(geometry.inner));
  }
  params.second_read = config.second_read;
  params.cache = config.cache;
  return params;
}

RowParams<float> with_tensors(RowParams<float> params, const NormArgs& args) noexcept {
  params.x = static_cast<const float*>(args.x);
  params.y = static_cast<float*>(args.y);
  params.gamma = static_cast<const float*>(args.gamma);
  params.beta = static_cast<const float*>(args.beta);
  params.mean = static_cast<float*>(args.mean);
  params.rstd = static_cast<float*>(args.rstd);
  return params;
}

bool same_vector_phase(const NormArgs& args, int vec_width) noexcept {
  const auto apart =
      reinterpret_cast<std::uintptr_t>(args.x) - reinterpret_cast<std::uintptr_t>(args.y);
  return apart % (sizeof(float) * static_cast<std::uintptr_t>(vec_width)) == 0;
}

unsigned int grid_blocks(std::int64_t items) noexcept {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return static_cast<unsigned int>(std::min(items, most));
}

Status load_kernel(const void* kernel, const char* name) {
  const RelaxedCapture relaxed;
  cudaFuncAttributes attributes{};
  return to_status(cudaFuncGetAttributes(&attributes, kernel), std::string("loading ") + name);
}

Status launch_kernel(const char* name, const void* kernel, unsigned int blocks, int threads,
                     void** arguments, Stream stream) {
  const cudaError_t error =
      cudaLaunchKernel(kernel, dim3(blocks), dim3(static_cast<unsigned int>(threads)), arguments, 0,
                       static_cast<cudaStream_t>(stream.handle));
  if (error == cudaSuccess) return {};
  return to_status(error, std::string("launching ") + name);
}

}  // namespace fastnorm::cuda
