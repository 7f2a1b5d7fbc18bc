// SPDX-License-Identifier: Apache-2.0
/// A strategy over rows whose elements follow each other.
#pragma once

#include "backends/cuda/row_space.hpp"
#include "core/typed_variant.hpp"

namespace fastnorm::cuda {

template <class C>
class RowVariant : public TypedVariant<C> {
 private:
  Support walks(const Problem& problem) const final { return walks_contiguous_rows(problem); }
};

}  // namespace fastnorm::cuda
