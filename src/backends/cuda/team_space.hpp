// SPDX-License-Identifier: Apache-2.0
/// What the strategies share on the host whose teams of blocks meet through memory.
#pragma once

#include "core/device_info.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace fastnorm::cuda {

/// The most blocks of a team, one a processor: a team of several needs a cooperative launch.
int largest_team(const DeviceInfo& device) noexcept;

/// Powers of two up to `most`, and the sizes that divide it well.
std::vector<int> powers_and_shares(int most);

/// Of the possible sizes, which ascend, a few from the smallest that fits up: a larger one holds
/// more rows at a time, a smaller one exchanges less. The largest where none fits.
std::vector<int> team_sizes(const std::vector<int>& possible, std::int64_t rows,
                            const DeviceInfo& device, const std::function<bool(int)>& fits);

}  // namespace fastnorm::cuda
