// SPDX-License-Identifier: Apache-2.0
#include "tuner/left_out.hpp"

#include "core/quoted.hpp"

#include <algorithm>

namespace fastnorm::tuner {

void LeftOut::add(const std::string& name, const std::string& reason) {
  auto group = std::find_if(groups_.begin(), groups_.end(),
                            [&reason](const Group& one) { return one.reason == reason; });
  if (group == groups_.end()) group = groups_.insert(group, Group{reason, {}});
  group->names.push_back(name);
  ++count_;
}

std::string LeftOut::text(std::string_view what) const {
  std::string text;
  for (const auto& [reason, names] : groups_) {
    constexpr std::size_t shown = 4;
    std::string list;
    for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) {
      list += (i == 0 ? "" : ", ") + shortened(names[i], longest_name);
    }
    if (names.size() > shown) list += " and " + std::to_string(names.size() - shown) + " more";
    text += std::to_string(names.size()) + " ";
    text.append(what).append(", ").append(reason).append(": ").append(list).append("\n");
  }
  return text;
}

}  // namespace fastnorm::tuner
