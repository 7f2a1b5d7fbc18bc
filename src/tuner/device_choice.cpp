// SPDX-License-Identifier: Apache-2.0
#include "tuner/device_choice.hpp"

#include "core/quoted.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace fastnorm::tuner {

Result<DeviceChoice> parse_devices(std::string_view text) {
  if (text == "all") return DeviceChoice{DeviceChoice::Which::all, {}};
  const Status refused(
      StatusCode::invalid_argument,
      "devices are " + in_quotes(text) + "; they must be all, or different numbers from 0 (0,2)");
  DeviceChoice choice{DeviceChoice::Which::listed, {}};
  std::vector<int>& numbers = choice.numbers;
  for (;;) {
    int number = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    const bool again = std::find(numbers.begin(), numbers.end(), number) != numbers.end();
    if (error != std::errc{} || number < 0 || again) return refused;
    numbers.push_back(number);
    if (stopped == end) return choice;
    if (*stopped != ',') return refused;
    text.remove_prefix(static_cast<std::size_t>(stopped - text.data()) + 1);
  }
}

std::string to_string(const DeviceChoice& choice) {
  if (choice.which == DeviceChoice::Which::all) return "all";
  std::string text;
  for (const int number : choice.numbers) {
    text += (text.empty() ? "" : ",") + std::to_string(number);
  }
  return text;
}

}  // namespace fastnorm::tuner
