// A few lanes a row, or a whole warp: no thread waits for another warp.
#include "backends/cuda/device/resident_part.cuh"
#include "backends/cuda/device/team.cuh"
#include "backends/cuda/single_read_shapes.hpp"
#include "backends/cuda/warp_row_kernel.hpp"

namespace fastnorm::cuda {

template <class T, int kVec, int kUnroll, RowEnds kEnds>
__global__ void __launch_bounds__(warp_row_max_threads, resident_min_blocks(kUnroll))
    warp_row_kernel(const __grid_constant__ RowParams params, const int log2_lanes) {
  const LaneTeam team(1 << log2_lanes);
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * (blockDim.x >> log2_lanes) +
                           (threadIdx.x >> log2_lanes);
  // The last block's teams may be more than there are rows; they take part in the shuffles.
  const bool has_row = row < params.geometry.rows;
  const int length = has_row ? static_cast<int>(params.geometry.row_len) : 0;
  ResidentPart<T, kVec, kUnroll, kEnds> part(params, row * params.geometry.row_len, length, team);
  const RowChannels<T> channels(params, row, 0);
  part.fetch_affine(channels);
  const Accumulator<T> pivot = team.first(part.first_value());
  const auto statistics = finish(part.moments(team, params.statistics, pivot), params.eps);
  if (team.rank() == 0 && has_row) write_statistics(params, row, statistics);
  part.write(params, RowEpilogue<T>(channels, statistics));
}

namespace {

template <RowEnds kEnds, class ScalarUnrolls>
const void* kernel_of(DType type, KernelShape shape, ScalarUnrolls scalar_unrolls) {
  return select_kernel(
      type, shape, scalar_unrolls, SingleReadUnrolls{}, [](auto tag, auto vec, auto unroll) {
        using T = typename decltype(tag)::type;
        return reinterpret_cast<const void*>(
            &warp_row_kernel<T, decltype(vec)::value, decltype(unroll)::value, kEnds>);
      });
}

}  // namespace

WarpRowKernels warp_row_kernels(DType type, KernelShape shape) {
  WarpRowKernels kernels;
  // Single elements have no boundaries that rows could miss.
  kernels.at_vectors = kernel_of<RowEnds::at_vectors>(type, shape, UnrollList<>{});
  kernels.anywhere = kernel_of<RowEnds::anywhere>(type, shape, SingleReadScalarUnrolls{});
  return kernels;
}

}  // namespace fastnorm::cuda
