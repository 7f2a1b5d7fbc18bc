// SPDX-License-Identifier: Apache-2.0
// The persistent grid of strategy stream_columns, for each element type.
#include "backends/cuda/device/column_barriers.cuh"
#include "backends/cuda/device/column_stream_block.cuh"
#include "backends/cuda/kernel_table.hpp"
#include "backends/cuda/stream_columns_kernel.hpp"

namespace fastnorm::cuda {
namespace {

template <class T, RowForm kForm>
__global__ void __launch_bounds__(32 * most_column_stream_warps(kForm))
    stream_columns_kernel(const __grid_constant__ ColumnParams params,
                          const __grid_constant__ ColumnStream stream, PartialMessage* messages) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char shared[];
  ColumnStreamBlock<T, kForm>(params, stream, messages, shared).run();
#endif
}

constexpr int line_up(int bytes) { return (bytes + 127) / 128 * 128; }

}  // namespace

int place_column_stream(DType type, ColumnStream& stream) {
  return with_element(type, [&stream](auto tag) {
    using Acc = Accumulator<typename decltype(tag)::type>;
    stream.columns_at = line_up(static_cast<int>(sizeof(ColumnBarriers)));
    stream.groups_at =
        stream.columns_at + line_up(stream.statistics.position_warps * stream.tiles.width *
                                    static_cast<int>(sizeof(PartMoments<Acc>)));
    stream.mailbox_at = stream.groups_at + line_up(column_statistics_places * stream.pieces *
                                                   static_cast<int>(sizeof(RowStatistics<Acc>)));
    const int mailbox = stream.exchange == Exchange::cluster
                            ? column_mailbox_bytes(
                                  stream.pieces, static_cast<int>(stream.blocks_per_tile.divisor()))
                            : 0;
    stream.ring_at = stream.mailbox_at + line_up(mailbox);
    return stream.ring_at;
  });
}

const void* stream_columns_kernel_address(DType type, RowForm form) {
  return with_element(type, [form](auto tag) {
    using T = typename decltype(tag)::type;
    return with_form<T, full_vec<T>>(form, [](auto in_form) {
      return reinterpret_cast<const void*>(&stream_columns_kernel<T, decltype(in_form)::value>);
    });
  });
}

}  // namespace fastnorm::cuda
