// SPDX-License-Identifier: Apache-2.0
/// Where a tensor with strides has its elements, from the definition alone.
#pragma once

#include <fastnorm/norm_desc.hpp>

#include <cstddef>
#include <vector>

namespace fastnorm::test {

/// In elements from the first one's place, of each element in the order of the extents. `strides`
/// are the tensor's; without any, it is dense in the descriptor's layout.
std::vector<std::size_t> places(const NormDesc& desc, const Strides& strides);

/// Strides of a tensor whose extents lie in this order, the innermost first, and after each of them
/// so many elements that are not the tensor's.
Strides strides_in_order(const Extents& extents, const std::vector<int>& innermost_first,
                         const std::vector<std::int64_t>& gaps);

/// A layer_norm or rms_norm of extents N, spatial..., C over the channels of dense channels-first
/// tensors: each row a column of a sample's matrix of C by positions.
NormDesc over_channels(NormDesc desc);

/// The same call over other memory than dense channels-first tensors: channels-last, with gaps
/// between channels, samples or rows, and by columns, where the operation knows these.
std::vector<NormDesc> other_layouts(const NormDesc& desc);

}  // namespace fastnorm::test
