// SPDX-License-Identifier: Apache-2.0
#include "core/disturbances.hpp"

#include "core/enum_values.hpp"

namespace fastnorm {

const char* to_string(Disturbance disturbance) noexcept {
  switch (disturbance) {
    case Disturbance::thermal_slowdown:
      return "thermal_slowdown";
    case Disturbance::power_brake:
      return "power_brake";
    case Disturbance::hardware_slowdown:
      return "hardware_slowdown";
    case Disturbance::low_clock:
      return "low_clock";
    case Disturbance::other_load:
      return "other_load";
    case Disturbance::scatter:
      return "scatter";
  }
  return "?";
}

std::string to_string(Disturbances disturbances) {
  std::string text;
  for (const Disturbance one : all_disturbances) {
    if (!disturbances.contains(one)) continue;
    if (!text.empty()) text += ' ';
    text += to_string(one);
  }
  return text;
}

std::optional<Disturbances> parse_disturbances(std::string_view text) {
  Disturbances result;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    const std::optional<Disturbance> one = find_by_name(all_disturbances, word);
    if (!one) return std::nullopt;
    result |= *one;
    rest.remove_prefix(word.size() < rest.size() ? word.size() + 1 : word.size());
  }
  // Words repeated or in another order would be a second spelling.
  if (to_string(result) != text) return std::nullopt;
  return result;
}

}  // namespace fastnorm
