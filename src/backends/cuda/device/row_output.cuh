// SPDX-License-Identifier: Apache-2.0
/// Where results go: y, and the sum with the residual where the caller wants it.
#pragma once

#include "backends/cuda/device/activation.cuh"
#include "backends/cuda/device/epilogue.cuh"
#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/device/vector_io.cuh"

#include <cstdint>

namespace fastnorm::cuda {

/// h of consecutive elements from element `at` of x's memory on, where the caller wants it.
template <class T, int kVec>
__device__ __forceinline__ void write_sum(const CallParams& params, std::int64_t at,
                                          CachePolicy hint, const Accumulator<T> (&values)[kVec]) {
  store(static_cast<T*>(params.tensors.sum) + at, pack<T>(values), hint);
}

/// y of consecutive elements from element `at` of its memory on.
template <class T, RowForm kForm, int kVec>
__device__ __forceinline__ void store_result(const CallParams& params, std::int64_t at,
                                             CachePolicy hint,
                                             const Accumulator<T> (&values)[kVec]) {
  const auto store_as = [&](auto tag) {
    using Out = typename decltype(tag)::type;
    store_values(static_cast<Out*>(params.tensors.y) + at, values, hint);
  };
  if constexpr (kForm == RowForm::plain) {
    store_as(ElementTag<T>{});
  } else {
    with_output_type<T>(params.y_type, store_as);
  }
}

/// The last step of all outputs: the activation, and y.
template <class T, RowForm kForm, int kVec>
__device__ __forceinline__ void write_result(const CallParams& params, std::int64_t at,
                                             CachePolicy hint, Accumulator<T> (&values)[kVec]) {
  activate(params.epilogue, values);
  store_result<T, kForm>(params, at, hint, values);
}

/// Everything of consecutive elements from `at` on. `where` is what the epilogue finds their affine
/// map by: the first one's index in the page, or the map.
template <class T, class Where, RowForm kForm, int kVec>
__device__ __forceinline__ void write_vector(const CallParams& params, const RowPlace& at,
                                             CachePolicy hint,
                                             const RowEpilogue<T, kForm>& epilogue,
                                             const Where& where, Accumulator<T> (&values)[kVec]) {
  if (kForm == RowForm::fused && params.tensors.sum != nullptr) {
    write_sum<T>(params, at.x, hint, values);
  }
  epilogue.apply(where, values);
  write_result<T, kForm>(params, at.y, hint, values);
}

/// The optional outputs, by one thread of the row.
template <class Acc>
__device__ __forceinline__ void write_statistics(const CallParams& params, std::int64_t row,
                                                 const RowStatistics<Acc>& statistics) {
  if (params.tensors.mean != nullptr) static_cast<Acc*>(params.tensors.mean)[row] = statistics.mean;
  if (params.tensors.rstd != nullptr) static_cast<Acc*>(params.tensors.rstd)[row] = statistics.rstd;
}

}  // namespace fastnorm::cuda
