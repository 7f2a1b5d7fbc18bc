/// From a run-time KernelShape to the kernel's instantiation.
#pragma once

#include "backends/cuda/row_config.hpp"

#include <type_traits>

namespace fastnorm::cuda {

template <int... kValues>
struct IntList {};

/// Every instantiation there is: their product with the kernels decides build time and binary size.
using VecWidths = IntList<1, 2, 4>;
using Unrolls = IntList<1, 2, 4, 8>;

template <int... kValues>
constexpr bool contains(IntList<kValues...>, int value) {
  return ((kValues == value) || ...);
}

namespace kernel_table_detail {

template <int kValue>
using Constant = std::integral_constant<int, kValue>;

template <int kVec, class AddressOf, int... kUnrolls>
const void* select_unroll(int unroll, AddressOf&& address_of, IntList<kUnrolls...>) {
  const void* kernel = nullptr;
  ((unroll == kUnrolls ? void(kernel = address_of(Constant<kVec>{}, Constant<kUnrolls>{}))
                       : void()),
   ...);
  return kernel;
}

template <class AddressOf, int... kVecs>
const void* select_vec(KernelShape shape, AddressOf&& address_of, IntList<kVecs...>) {
  const void* kernel = nullptr;
  ((shape.vec_width == kVecs
        ? void(kernel = select_unroll<kVecs>(shape.unroll, address_of, Unrolls{}))
        : void()),
   ...);
  return kernel;
}

}  // namespace kernel_table_detail

/// Calls `address_of` with the integral constants that equal the shape; null if there are none.
template <class AddressOf>
const void* select_kernel(KernelShape shape, AddressOf&& address_of) {
  return kernel_table_detail::select_vec(shape, address_of, VecWidths{});
}

}  // namespace fastnorm::cuda
