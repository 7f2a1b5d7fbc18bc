// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/device/cluster_exchange.cuh"
#include "backends/cuda/device/column_stream_block.cuh"
#include "backends/cuda/device/resident_columns_block.cuh"
#include "backends/cuda/device/stream_block.cuh"
#include "backends/cuda/device/window_block.cuh"
#include "backends/cuda/kernel_table.hpp"
#include "delayed_kernels.hpp"

#include <cstdint>

namespace fastnorm::test {
namespace {

/// Every warp draws for itself whether and how long it waits. One block in four is late at every
/// turn, so that the others meet messages that are long there as well as such that are not.
class RandomDelays {
 public:
  explicit __device__ RandomDelays(const DelayDraw& draw)
      : most_ns_(draw.most_ns), state_(scramble(draw.seed + scramble(blockIdx.x + 1))) {
    if (state_ % 4 == 0) most_ns_ *= 8;
    state_ = scramble(state_ + threadIdx.x / 32);
  }

  __device__ void before_load() { delay(); }
  __device__ void before_send() { delay(); }
  __device__ void before_receive() { delay(); }
  __device__ void before_write() { delay(); }

 private:
  /// The finalizer of MurmurHash3.
  static __device__ std::uint32_t scramble(std::uint32_t bits) {
    bits = (bits ^ (bits >> 16)) * 0x85EBCA6BU;
    bits = (bits ^ (bits >> 13)) * 0xC2B2AE35U;
    return bits ^ (bits >> 16);
  }

  __device__ void delay() {
    state_ = scramble(state_ + 0x9E3779B9U);
    if (most_ns_ > 0 && state_ % 4 == 0) __nanosleep(state_ / 4 % most_ns_);
  }

  std::uint32_t most_ns_;
  std::uint32_t state_;
};

template <class T, cuda::RowForm kForm>
__global__ void __launch_bounds__(cuda::most_stream_threads(kForm), 1)
    delayed_stream_row(const __grid_constant__ cuda::RowParams params,
                       const __grid_constant__ cuda::StreamShape shape,
                       cuda::PartialMessage* messages, const DelayDraw draw) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char shared[];
  cuda::StreamBlock<T, kForm, RandomDelays>(params, shape, messages, shared, RandomDelays(draw))
      .run();
#endif
}

template <class T, int kVec, int kUnroll, cuda::RowForm kForm>
__global__ void __launch_bounds__(cuda::resident_max_threads(kUnroll))
    delayed_cluster_row(const __grid_constant__ cuda::RowParams params, const int part_len,
                        const DelayDraw draw) {
#if __CUDA_ARCH__ >= 900
  cuda::write_row_by_cluster<T, kVec, kUnroll, kForm>(params, part_len, RandomDelays(draw));
#endif
}

template <class T, cuda::RowForm kForm>
__global__ void __launch_bounds__(cuda::most_resident_columns_threads)
    delayed_resident_columns(const __grid_constant__ cuda::ColumnParams params,
                             const __grid_constant__ cuda::ResidentColumns shape,
                             const DelayDraw draw) {
  extern __shared__ __align__(128) unsigned char shared[];
  cuda::ResidentColumnsBlock<T, cuda::column_vec<T>, delayed_positions, kForm, RandomDelays>(
      params, shape, shared, RandomDelays(draw))
      .run();
}

template <class T, cuda::RowForm kForm>
__global__ void __launch_bounds__(32 * cuda::most_column_stream_warps(kForm))
    delayed_stream_columns(const __grid_constant__ cuda::ColumnParams params,
                           const __grid_constant__ cuda::ColumnStream stream,
                           cuda::PartialMessage* messages, const DelayDraw draw) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char shared[];
  cuda::ColumnStreamBlock<T, kForm, RandomDelays>(params, stream, messages, shared,
                                                  RandomDelays(draw))
      .run();
#endif
}

template <class T, int kVec, int kUnroll>
__global__ void __launch_bounds__(cuda::max_threads(cuda::value_words<T>(kVec, kUnroll)))
    delayed_window_row(const __grid_constant__ cuda::RowParams params,
                       const __grid_constant__ cuda::WindowShape shape,
                       cuda::PartialMessage* messages, const DelayDraw draw) {
  cuda::WindowBlock<T, kVec, kUnroll, RandomDelays>(params, shape, messages, RandomDelays(draw))
      .run();
}

}  // namespace

const void* delayed_stream_row_kernel(DType type, cuda::RowForm form) {
  return cuda::with_element(type, [form](auto tag) {
    using T = typename decltype(tag)::type;
    return cuda::with_form<T, cuda::full_vec<T>>(form, [](auto in_form) {
      return reinterpret_cast<const void*>(&delayed_stream_row<T, decltype(in_form)::value>);
    });
  });
}

const void* delayed_cluster_row_kernel(DType type, cuda::KernelShape shape, cuda::RowForm form) {
  return cuda::select_kernel(
      type, shape, cuda::UnrollList<>{}, cuda::UnrollList<1>{},
      [form](auto tag, auto vec, auto unroll) {
        using T = typename decltype(tag)::type;
        return cuda::with_form<T, decltype(vec)::value>(form, [](auto in_form) {
          return reinterpret_cast<const void*>(
              &delayed_cluster_row<T, decltype(vec)::value, decltype(unroll)::value,
                                   decltype(in_form)::value>);
        });
      });
}

const void* delayed_resident_columns_kernel(DType type, cuda::RowForm form) {
  return cuda::with_element(type, [form](auto tag) {
    using T = typename decltype(tag)::type;
    return cuda::with_form<T, cuda::column_vec<T>>(form, [](auto in_form) {
      return reinterpret_cast<const void*>(&delayed_resident_columns<T, decltype(in_form)::value>);
    });
  });
}

const void* delayed_stream_columns_kernel(DType type, cuda::RowForm form) {
  return cuda::with_element(type, [form](auto tag) {
    using T = typename decltype(tag)::type;
    return cuda::with_form<T, cuda::full_vec<T>>(form, [](auto in_form) {
      return reinterpret_cast<const void*>(&delayed_stream_columns<T, decltype(in_form)::value>);
    });
  });
}

const void* delayed_window_row_kernel(DType type, cuda::KernelShape shape) {
  return cuda::select_kernel(
      type, shape, cuda::UnrollList<>{}, cuda::UnrollList<1>{},
      [](auto tag, auto vec, auto unroll) {
        using T = typename decltype(tag)::type;
        return reinterpret_cast<const void*>(
            &delayed_window_row<T, decltype(vec)::value, decltype(unroll)::value>);
      });
}

}  // namespace fastnorm::test
