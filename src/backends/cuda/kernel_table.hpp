// SPDX-License-Identifier: Apache-2.0
/// From a run-time element type and KernelShape to the kernel's instantiation.
#pragma once

#include "backends/cuda/device/element.cuh"
#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/row_config.hpp"

#include <fastnorm/types.hpp>

#include <type_traits>

namespace fastnorm::cuda {

/// Unrolls that a strategy instantiates: their number times the element types and the kernels
/// decides build time and binary size.
template <int... kValues>
struct UnrollList {};

/// Calls `function` with the type's ElementTag; the default of its result if there is none.
template <class Function>
auto with_element(DType type, Function&& function) {
  using Answer = decltype(function(ElementTag<float>{}));
  switch (type) {
    case DType::f32:
      return function(ElementTag<float>{});
    case DType::f16:
      return function(ElementTag<__half>{});
    case DType::bf16:
      return function(ElementTag<__nv_bfloat16>{});
    case DType::f64:
      return function(ElementTag<double>{});
  }
  return Answer{};
}

/// Calls `function` with the form as an integral_constant. Kernels of fp64 and of single elements,
/// which other things bound than decisions, have the fused one alone.
template <class T, int kVec, class Function>
const void* with_form([[maybe_unused]] RowForm form, Function&& function) {
  if constexpr (!std::is_same_v<T, double> && kVec > 1) {
    if (form == RowForm::plain) {
      return function(std::integral_constant<RowForm, RowForm::plain>{});
    }
  }
  return function(std::integral_constant<RowForm, RowForm::fused>{});
}

namespace kernel_table_detail {

template <int kValue>
using Constant = std::integral_constant<int, kValue>;

template <int kVec, class Tag, class AddressOf, int... kUnrolls>
const void* select_unroll([[maybe_unused]] Tag tag, [[maybe_unused]] int unroll,
                          [[maybe_unused]] AddressOf& address_of, UnrollList<kUnrolls...>) {
  const void* kernel = nullptr;
  ((unroll == kUnrolls ? void(kernel = address_of(tag, Constant<kVec>{}, Constant<kUnrolls>{}))
                       : void()),
   ...);
  return kernel;
}

}  // namespace kernel_table_detail

/// Calls `address_of(ElementTag, vec, unroll)` with what equals the arguments, the unroll one of
/// those for single elements or for full vectors; null if there is no such instantiation.
template <class ScalarUnrolls, class VectorUnrolls, class AddressOf>
const void* select_kernel(DType type, KernelShape shape, ScalarUnrolls scalar_unrolls,
                          VectorUnrolls vector_unrolls, AddressOf&& address_of) {
  return with_element(type, [&](auto tag) -> const void* {
    using namespace kernel_table_detail;
    constexpr int kFull = full_vec<typename decltype(tag)::type>;
    if (shape.vec_width == 1)
      return select_unroll<1>(tag, shape.unroll, address_of, scalar_unrolls);
    if (shape.vec_width != kFull) return nullptr;
    return select_unroll<kFull>(tag, shape.unroll, address_of, vector_unrolls);
  });
}

/// The same where single elements have scalar_unroll alone.
template <class VectorUnrolls, class AddressOf>
const void* select_kernel(DType type, KernelShape shape, VectorUnrolls vector_unrolls,
                          AddressOf&& address_of) {
  return select_kernel(type, shape, UnrollList<scalar_unroll>{}, vector_unrolls, address_of);
}

}  // namespace fastnorm::cuda
