// SPDX-License-Identifier: Apache-2.0
/// What is normalised, vector by vector: x, or its sum with the residual.
#pragma once

#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/device/vector_io.cuh"

#include <cstdint>

namespace fastnorm::cuda {

template <class T, RowForm kForm = RowForm::fused>
struct RowInput {
  using Acc = Accumulator<T>;

  const T* x;
  const T* residual;  ///< Null where there is none.
  Residual form;

  /// From element `at` of x's memory on.
  __device__ __forceinline__ RowInput(const CallParams& params, std::int64_t at)
      : x(static_cast<const T*>(params.tensors.x) + at),
        residual(kForm == RowForm::plain || params.residual == Residual::none
                     ? nullptr
                     : static_cast<const T*>(params.tensors.residual) + at),
        form(params.residual) {}

  /// h of the two summands.
  __device__ __forceinline__ Acc sum(Acc a, Acc b) const {
    const Acc exact = a + b;
    return form == Residual::rounded_sum ? round_to<T>(exact) : exact;
  }

  /// kUnroll vectors, `step` vectors apart, all loaded before the first is used. Those from
  /// `vectors` on are not there: they are zero.
  template <int kVec, int kUnroll>
  __device__ __forceinline__ void load_vectors(int head, int vector, int step, int vectors,
                                               CachePolicy hint,
                                               Acc (&values)[kUnroll * kVec]) const {
    Packed<T, kVec> packed[kUnroll] = {};
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (vector + u * step < vectors) {
        packed[u] = load<T, kVec>(x + head + (vector + u * step) * kVec, hint);
      }
    }
    if (residual == nullptr) {
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) unpack_into(packed[u], u, values);
      return;
    }
    Packed<T, kVec> added[kUnroll] = {};
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (vector + u * step < vectors) {
        added[u] = load<T, kVec>(residual + head + (vector + u * step) * kVec, hint);
      }
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      Acc a[kVec];
      Acc b[kVec];
      unpack(packed[u], a);
      unpack(added[u], b);
#pragma unroll
      for (int k = 0; k < kVec; ++k) values[u * kVec + k] = sum(a[k], b[k]);
    }
  }

  /// kUnroll vectors, the first `at` elements on, the others `step` elements apart.
  template <int kVec, int kUnroll>
  __device__ __forceinline__ void load_apart(std::int64_t at, std::int64_t step, CachePolicy hint,
                                             Acc (&values)[kUnroll * kVec]) const {
    Packed<T, kVec> packed[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) packed[u] = load<T, kVec>(x + at + u * step, hint);
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) unpack_into(packed[u], u, values);
    if (residual == nullptr) return;
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) packed[u] = load<T, kVec>(residual + at + u * step, hint);
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      Acc added[kVec];
      unpack(packed[u], added);
#pragma unroll
      for (int k = 0; k < kVec; ++k) values[u * kVec + k] = sum(values[u * kVec + k], added[k]);
    }
  }

  __device__ __forceinline__ Acc load_element(int at, CachePolicy hint) const {
    Acc value[1];
    unpack(load<T, 1>(x + at, hint), value);
    if (residual == nullptr) return value[0];
    Acc added[1];
    unpack(load<T, 1>(residual + at, hint), added);
    return sum(value[0], added[0]);
  }
};

}  // namespace fastnorm::cuda
