/// What the row kernels are told, by value.
#pragma once

#include "backends/cuda/device/fast_divide.hpp"
#include "backends/cuda/row_config.hpp"
#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>

#include <cstdint>

namespace fastnorm::cuda {

/// Rows are walked in pages of at most this many elements, so that indices within a page fit 32
/// bits whatever the row's length. Almost every row is one page. (A multiple of every vector width:
/// pages keep a row's alignment.)
inline constexpr std::int64_t page_len = std::int64_t{1} << 30;

/// A row as the epilogue sees it: channels of `inner` consecutive elements each.
struct RowGeometry {
  std::int64_t rows = 0;
  std::int64_t row_len = 0;
  std::int64_t row_period = 1;
  std::int64_t channels_per_row = 1;
  std::int64_t inner = 1;
  std::int64_t rows_per_sample = 1;
  FastDivide by_inner;       ///< Set where `narrow_inner`.
  bool narrow_inner = true;  ///< inner < page_len.
  FastDivide by_row_period;  ///< Set where `narrow_rows`, as the next.
  FastDivide by_rows_per_sample;
  bool narrow_rows = true;  ///< rows < 2^31 and channels_per_row < 2^31.
};

/// What a kernel is compiled for. Few calls ask for more than the plain form, and each decision
/// that need not be taken is worth its while in the loops that stream a row.
enum class RowForm {
  plain,  ///< No residual, no modulation, gamma itself the factor, nothing rounded on the way, y of
          ///< x's type, and so gamma and beta where each element has its own. An activation there
          ///< may be.
  fused,  ///< Whatever a descriptor may ask for.
};

/// A call, but for where its elements lie.
struct CallParams {
  NormArgs tensors;  ///< As the caller gave them; x and what is like it has the kernel's type.
  Statistics statistics = Statistics::mean_variance;
  double eps = 0;
  Residual residual = Residual::none;
  DType y_type = DType::f32;
  DType affine_type = DType::f32;
  Epilogue epilogue;
  CacheUse cache;
};

struct RowParams : CallParams {
  RowGeometry geometry;
};

/// How a row is cut between blocks.
struct RowSplit {
  std::int64_t part_len = 0;  ///< Elements of every part but the last.
  std::int64_t parts = 1;     ///< Parts a row; none is empty.
};

}  // namespace fastnorm::cuda
