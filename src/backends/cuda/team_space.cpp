// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/team_space.hpp"

#include "backends/cuda/messages.hpp"

#include <algorithm>
#include <cstddef>

namespace fastnorm::cuda {

int largest_team(const DeviceInfo& device) noexcept {
  return device.cooperative_launch ? std::min(device.processors, most_team_blocks) : 1;
}

std::vector<int> powers_and_shares(int most) {
  std::vector<int> numbers;
  for (int power = 1; power <= most; power *= 2) numbers.push_back(power);
  for (const int parts : {1, 2, 3}) numbers.push_back(std::max(1, most / parts));
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::vector<int> team_sizes(const std::vector<int>& possible, std::int64_t rows,
                            const DeviceInfo& device, const std::function<bool(int)>& fits) {
  std::vector<int> sizes;
  for (const int blocks : possible) {
    // Fewer rows than teams: more blocks a row keep more processors busy.
    const bool idle = rows * blocks * 2 <= device.processors;
    if ((!fits(blocks) || idle) && blocks != possible.back()) continue;
    sizes.push_back(blocks);
    constexpr std::size_t enough = 4;
    if (sizes.size() == enough) break;
  }
  return sizes;
}

}  // namespace fastnorm::cuda
