// SPDX-License-Identifier: Apache-2.0
// The blocks and clusters of strategy resident_columns, for each element type and kernel shape.
#include "backends/cuda/device/resident_columns_block.cuh"
#include "backends/cuda/kernel_table.hpp"
#include "backends/cuda/resident_columns_kernel.hpp"

#include <type_traits>

namespace fastnorm::cuda {
namespace {

/// Positions of a thread. Of single elements the most: there a block holds least.
using ScalarUnrolls = UnrollList<16>;
using VectorUnrolls = UnrollList<4, 8, 16>;
/// Of elements of two bytes, more: a few blocks' worth less of them then hold a tensor.
using HalfUnrolls = UnrollList<4, 8, 16, 20>;

/// The compiler's bound on registers, as the threads that a processor has room for in any case.
template <class T>
constexpr int bound_threads(int vec_width, int unroll, RowForm form) {
  const int words = vec_width * unroll * static_cast<int>(sizeof(T)) / 4;
  if (sizeof(T) == 8 || words > 40) return most_resident_columns_threads;
  if (words > 32) return form == RowForm::plain ? 640 : most_resident_columns_threads;
  if (words > 16) return form == RowForm::plain ? 768 : 640;
  return words > 8 ? 896 : 1024;
}

template <class T, int kVec, int kUnroll, RowForm kForm>
__global__ void __launch_bounds__(bound_threads<T>(kVec, kUnroll, kForm))
    resident_columns_kernel(const __grid_constant__ ColumnParams params,
                            const __grid_constant__ ResidentColumns shape) {
  extern __shared__ __align__(32) unsigned char shared[];
  ResidentColumnsBlock<T, kVec, kUnroll, kForm>(params, shape, shared).run();
}

constexpr int line_up(int bytes) { return (bytes + 31) / 32 * 32; }

template <class Value>
constexpr int bytes_of(int count) {
  return line_up(count * static_cast<int>(sizeof(Value)));
}

}  // namespace

int place_resident_columns(DType type, ResidentColumns& shape, int groups, int mapped_positions) {
  return with_element(type, [&](auto tag) {
    using Acc = Accumulator<typename decltype(tag)::type>;
    const bool merges = !shape.groups_are_warps;
    const auto blocks = static_cast<int>(shape.blocks.divisor());
    shape.parts_at =
        merges ? bytes_of<PartMoments<Acc>>(shape.threads.position_warps * shape.cells) : 0;
    shape.groups_at = shape.parts_at + bytes_of<PartMoments<Acc>>(blocks > 1 ? groups * blocks : 0);
    shape.affine_at = shape.groups_at + bytes_of<GroupStatistics<Acc>>(merges ? groups : 0);
    return shape.affine_at + bytes_of<PositionAffine<Acc>>(mapped_positions);
  });
}

const void* resident_columns_kernel_address(DType type, KernelShape shape, RowForm form) {
  return with_element(type, [&](auto tag) -> const void* {
    using T = typename decltype(tag)::type;
    const auto address_of = [form](auto in_tag, auto vec, auto unroll) {
      using Element = typename decltype(in_tag)::type;
      constexpr int kVec = decltype(vec)::value;
      return with_form<Element, kVec>(form, [](auto in_form) {
        return reinterpret_cast<const void*>(
            &resident_columns_kernel<Element, kVec, decltype(unroll)::value,
                                     decltype(in_form)::value>);
      });
    };
    using namespace kernel_table_detail;
    if (shape.vec_width == 1) {
      return select_unroll<1>(tag, shape.unroll, address_of, ScalarUnrolls{});
    }
    if (shape.vec_width != column_vec<T>) return nullptr;
    using Unrolls = std::conditional_t<sizeof(T) == 2, HalfUnrolls, VectorUnrolls>;
    return select_unroll<column_vec<T>>(tag, shape.unroll, address_of, Unrolls{});
  });
}

}  // namespace fastnorm::cuda
