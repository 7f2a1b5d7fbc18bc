// SPDX-License-Identifier: Apache-2.0
// A few lanes a row, or a whole warp: no thread waits for another warp.
#include "backends/cuda/device/resident_part.cuh"
#include "backends/cuda/device/team.cuh"
#include "backends/cuda/single_read_shapes.hpp"
#include "backends/cuda/warp_row_kernel.hpp"

namespace fastnorm::cuda {

template <class T, int kVec, int kUnroll, RowForm kForm, RowEnds kEnds>
__global__ void __launch_bounds__(resident_max_threads(kUnroll))
    warp_row_kernel(const __grid_constant__ RowParams params, const int log2_lanes) {
  const LaneTeam team(1 << log2_lanes);
  // There are fewer than 2^31 rows.
  const unsigned int row = blockIdx.x * (blockDim.x >> log2_lanes) + (threadIdx.x >> log2_lanes);
  // The last block's teams may be more than there are rows; they take part in the shuffles.
  const bool has_row = row < params.geometry.rows;
  const int length = has_row ? static_cast<int>(params.geometry.row_len) : 0;
  const std::int64_t begin = params.geometry.x_begin(row);
  ResidentPart<T, kVec, kUnroll, LaneTeam, kForm, kEnds> part(params, begin, length, team);
  const RowChannels<T, kForm> channels(params, row, 0);
  part.prepare_output(channels);
  const auto statistics = finish(part.moments(team, params.statistics), params.statistics,
                                 static_cast<Accumulator<T>>(params.eps));
  if (team.rank() == 0 && has_row) write_statistics(params, row, statistics);
  part.write(params, params.geometry.y_begin(row, begin),
             RowEpilogue<T, kForm>(channels, statistics));
}

namespace {

template <class T, int kVec, int kUnroll, RowForm kForm, RowEnds kEnds>
const void* address() {
  return reinterpret_cast<const void*>(&warp_row_kernel<T, kVec, kUnroll, kForm, kEnds>);
}

const void* at_vectors(DType type, KernelShape shape, RowForm form) {
  // Single elements have no boundaries that rows could miss.
  return select_kernel(type, shape, UnrollList<>{}, SingleReadUnrolls{},
                       [form](auto tag, auto vec, auto unroll) {
                         using T = typename decltype(tag)::type;
                         return with_form<T, decltype(vec)::value>(form, [](auto in_form) {
                           return address<T, decltype(vec)::value, decltype(unroll)::value,
                                          decltype(in_form)::value, RowEnds::at_vectors>();
                         });
                       });
}

/// Rows with edges are too rare for a plain form of their own.
const void* anywhere(DType type, KernelShape shape) {
  return select_kernel(
      type, shape, SingleReadScalarUnrolls{}, SingleReadUnrolls{},
      [](auto tag, auto vec, auto unroll) {
        return address<typename decltype(tag)::type, decltype(vec)::value, decltype(unroll)::value,
                       RowForm::fused, RowEnds::anywhere>();
      });
}

}  // namespace

WarpRowKernels warp_row_kernels(DType type, KernelShape shape, RowForm form) {
  return {at_vectors(type, shape, form), anywhere(type, shape)};
}

}  // namespace fastnorm::cuda
