// SPDX-License-Identifier: Apache-2.0
/// The reference of one row on the host, in plain C++.
#pragma once

#include "measure/reference.hpp"

#include <cstdint>

namespace fastnorm::measure {

RowStatistics statistics_of(const ReferenceCall& call, std::int64_t row);

/// The row of the call's y.
void compare_row(Comparison& tally, const ReferenceCall& call, std::int64_t row);

}  // namespace fastnorm::measure
