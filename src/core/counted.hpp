// SPDX-License-Identifier: Apache-2.0
/// How many of something.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm {

/// "1 entry", "2 entries", from counted(n, "entry", "entries").
inline std::string counted(std::size_t count, const char* one, const char* several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

/// The most frequent first, and among equals in their order.
inline std::vector<std::pair<std::string, std::size_t>> most_first(
    const std::map<std::string, std::size_t>& counts) {
  std::vector<std::pair<std::string, std::size_t>> all(counts.begin(), counts.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return all;
}

}  // namespace fastnorm
