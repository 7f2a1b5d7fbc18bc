// SPDX-License-Identifier: Apache-2.0
/// A call at random.
#pragma once

#include "property_case.hpp"

#include <cstdint>
#include <vector>

namespace fastnorm::test {

/// Case `number`, the same whenever it is drawn for the same strategies. Three of four force one of
/// them, each in its turn, two of three are meant to be right.
PropertyCase draw_case(std::uint64_t number, const std::vector<Strategy>& strategies);

}  // namespace fastnorm::test
