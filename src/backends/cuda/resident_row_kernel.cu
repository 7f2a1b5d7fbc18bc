// One block a row, which stays in registers between its one read and its output.
#include "backends/cuda/device/resident_part.cuh"
#include "backends/cuda/device/team.cuh"
#include "backends/cuda/resident_row_kernel.hpp"
#include "backends/cuda/single_read_shapes.hpp"

namespace fastnorm::cuda {

template <class T, int kVec, int kUnroll>
__global__ void __launch_bounds__(resident_max_threads(kVec, kUnroll), resident_min_blocks(kUnroll))
    resident_row_kernel(const __grid_constant__ RowParams params) {
  const BlockTeam team;
  const std::int64_t row = blockIdx.x;
  const std::int64_t begin = row * params.geometry.row_len;
  ResidentPart<T, kVec, kUnroll> part(params, begin, static_cast<int>(params.geometry.row_len),
                                      team);
  Accumulator<T> pivot = 0;
  if (params.statistics == Statistics::mean_variance) {
    pivot = RowInput<T>(params, begin).load_element(0, LoadPolicy(params.cache.load));
  }
  const RowChannels<T> channels(params, row, 0);
  part.fetch_affine(channels);
  const auto statistics = finish(part.moments(team, params.statistics, pivot), params.eps);
  if (team.rank() == 0) write_statistics(params, row, statistics);
  part.write(params, RowEpilogue<T>(channels, statistics));
}

const void* resident_row_kernel_address(DType type, KernelShape shape) {
  return select_kernel(
      type, shape, SingleReadScalarUnrolls{}, SingleReadUnrolls{},
      [](auto tag, auto vec, auto unroll) {
        using T = typename decltype(tag)::type;
        return reinterpret_cast<const void*>(
            &resident_row_kernel<T, decltype(vec)::value, decltype(unroll)::value>);
      });
}

}  // namespace fastnorm::cuda
