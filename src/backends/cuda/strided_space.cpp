// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/strided_space.hpp"

#include "backends/cuda/row_space.hpp"

#include <algorithm>
#include <cstdint>

namespace fastnorm::cuda {

StridedGeometry strided_geometry(const Problem& problem) {
  const RowMemory& memory = problem.memory();
  StridedGeometry geometry;
  geometry.run_len = PageDivisor(memory.run_len);
  geometry.inner = PageDivisor(problem.affine().inner);
  geometry.channels_per_row = PageDivisor(problem.affine().channels_per_row);
  geometry.run_step = {memory.x.run, memory.y.run};
  geometry.rows_per_outer = memory.rows_per_outer;
  return geometry;
}

bool has_strided_vectors(const Problem& problem) noexcept {
  const RowMemory& memory = problem.memory();
  const AffineMap& affine = problem.affine();
  const std::int64_t width = full_vec_width(problem.desc().x_type);
  const std::int64_t y_width = std::min<std::int64_t>(width, full_vec_width(problem.desc().y_type));
  const auto whole = [](const RowStrides& strides, std::int64_t vector) {
    return strides.outer % vector == 0 && strides.row % vector == 0 && strides.run % vector == 0;
  };
  const bool whole_channels =
      affine.inner == 1 ? affine.channels_per_row % width == 0 : affine.inner % width == 0;
  return memory.run_len % width == 0 && whole(memory.x, width) && whole(memory.y, y_width) &&
         whole_channels;
}

}  // namespace fastnorm::cuda
