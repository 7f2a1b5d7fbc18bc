// SPDX-License-Identifier: Apache-2.0
/// How many of something, in words.
#pragma once

#include <cstddef>
#include <string>

namespace fastnorm {

/// "1 entry", "2 entries", from counted(n, "entry", "entries").
inline std::string counted(std::size_t count, const char* one, const char* several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

}  // namespace fastnorm
