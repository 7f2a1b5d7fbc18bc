// SPDX-License-Identifier: Apache-2.0
// One block a row, which stays in registers between its one read and its output.
#include "backends/cuda/device/resident_part.cuh"
#include "backends/cuda/device/team.cuh"
#include "backends/cuda/resident_row_kernel.hpp"
#include "backends/cuda/single_read_shapes.hpp"

namespace fastnorm::cuda {

template <class T, int kVec, int kUnroll, RowForm kForm>
__global__ void __launch_bounds__(resident_max_threads(kUnroll))
    resident_row_kernel(const __grid_constant__ RowParams params) {
  const BlockTeam team;
  const std::int64_t row = blockIdx.x;
  const std::int64_t begin = params.geometry.x_begin(row);
  ResidentPart<T, kVec, kUnroll, BlockTeam, kForm> part(
      params, begin, static_cast<int>(params.geometry.row_len), team);
  const RowChannels<T, kForm> channels(params, row, 0);
  part.prepare_output(channels);
  const auto statistics = finish(part.moments(team, params.statistics), params.statistics,
                                 static_cast<Accumulator<T>>(params.eps));
  if (team.rank() == 0) write_statistics(params, row, statistics);
  part.write(params, params.geometry.y_begin(row, begin),
             RowEpilogue<T, kForm>(channels, statistics));
}

const void* resident_row_kernel_address(DType type, KernelShape shape, RowForm form) {
  return select_kernel(
      type, shape, SingleReadScalarUnrolls{}, SingleReadUnrolls{},
      [form](auto tag, auto vec, auto unroll) {
        using T = typename decltype(tag)::type;
        return with_form<T, decltype(vec)::value>(form, [](auto in_form) {
          return reinterpret_cast<const void*>(
              &resident_row_kernel<T, decltype(vec)::value, decltype(unroll)::value,
                                   decltype(in_form)::value>);
        });
      });
}

}  // namespace fastnorm::cuda
