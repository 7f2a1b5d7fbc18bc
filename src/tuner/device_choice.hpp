// SPDX-License-Identifier: Apache-2.0
/// --devices
#pragma once

#include <fastnorm/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fastnorm::tuner {

/// Which of the GPUs that the program sees.
struct DeviceChoice {
  enum class Which { current, listed, all };
  Which which = Which::current;
  std::vector<int> numbers;  ///< Those listed, each once.
};

/// "all", or "0,2". Error: invalid_argument.
Result<DeviceChoice> parse_devices(std::string_view text);

/// As it was typed.
std::string to_string(const DeviceChoice& choice);

}  // namespace fastnorm::tuner
