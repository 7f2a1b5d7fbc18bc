// SPDX-License-Identifier: Apache-2.0
/// Cases that a command passes over, and why.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm::tuner {

class LeftOut {
 public:
  /// The cases of one reason.
  struct Group {
    std::string reason;
    std::vector<std::string> names;
  };

  void add(const std::string& name, const std::string& reason);

  std::size_t count() const noexcept { return count_; }

  /// In the order in which the reasons first came up.
  const std::vector<Group>& groups() const noexcept { return groups_; }

  /// A line a reason: "3 WHAT, REASON: a, b, c"; of many names the first few.
  std::string text(std::string_view what) const;

 private:
  std::size_t count_ = 0;
  std::vector<Group> groups_;
};

}  // namespace fastnorm::tuner
