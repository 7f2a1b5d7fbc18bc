// SPDX-License-Identifier: Apache-2.0
/// What the row strategies share on the host: support, search space, launch parameters.
#pragma once

#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/row_config.hpp"
#include "core/backend.hpp"
#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>

#include <cstdint>
#include <vector>

namespace fastnorm::cuda {

/// Whether a kernel finds the problem's rows by RowGeometry: each row's elements follow each other,
/// channel by channel. The rows themselves may lie anywhere, and elsewhere in y than in x.
Support walks_contiguous_rows(const Problem& problem);

/// Elements of the widest load.
int full_vec_width(DType type) noexcept;

/// Whether the problem's rows may be loaded in accesses of 16 bytes: a vector must meet two
/// channels at most, and one cut into vectors must serve x and y in every row if it does in the
/// first.
Support supports_vectors(const Problem& problem);

/// The widest load that the problem's kernels may use.
int widest_load(const Problem& problem) noexcept;

/// Whether every row starts and ends at a vector's boundary if the first one starts at one.
bool whole_vectors(const Problem& problem, int vec_width) noexcept;

/// Whether a kernel for the problem may load so many elements at a time.
Support supports_vec_width(const Problem& problem, int vec_width);

/// Threads of a two-read kernel's largest block, for which a processor has room in any case.
int largest_block(const Problem& problem, const DeviceInfo& device, KernelShape shape) noexcept;

/// Whether a block of a two-read kernel may look like this on the device.
Support supports_row_config(const Problem& problem, const DeviceInfo& device,
                            const RowConfig& config);

/// Block shapes worth trying for blocks of `block_len` elements: no threads or unrolled loads
/// without work, single elements only where rows are short, and the orders and priorities only
/// where the tensor exceeds the L2.
std::vector<RowConfig> row_configs(const Problem& problem, const DeviceInfo& device,
                                   std::int64_t block_len);

/// Whether a call moves more than the L2 keeps by itself, so that orders and priorities matter.
bool exceeds_l2(const Problem& problem, const DeviceInfo& device) noexcept;

/// What is normalised comes from so many: x, and the residual where there is one.
int input_tensors(const Problem& problem) noexcept;

/// The least form that has all of the problem.
RowForm row_form(const Problem& problem) noexcept;

/// The same where gamma and beta are read once for many elements, so that their type is none of the
/// form's business.
RowForm form_of_call(const Problem& problem) noexcept;

/// Everything of the parameters but the pointers.
CallParams call_params(const Problem& problem, const CacheUse& cache);
RowParams row_params(const Problem& problem, const CacheUse& cache);

/// x, y and whatever else is read or written in vectors along a row are equally far from a vector's
/// alignment, so that one cut serves all. (Of the first row; supports_vectors() says so of the
/// others.)
bool same_vector_phase(const Problem& problem, const NormArgs& args, int vec_width) noexcept;

/// Whether x begins at a vector's boundary.
bool starts_at_vector(const Problem& problem, const NormArgs& args, int vec_width) noexcept;

/// And with x all that same_vector_phase() asks about.
bool all_start_at_vectors(const Problem& problem, const NormArgs& args, int vec_width) noexcept;

}  // namespace fastnorm::cuda
