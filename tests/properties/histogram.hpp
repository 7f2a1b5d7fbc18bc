// SPDX-License-Identifier: Apache-2.0
/// How often the cases of a run met what.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace fastnorm::test {

class Histogram {
 public:
  void count(const std::string& what, const std::string& value) { ++counts_[what][value]; }
  std::size_t of(const std::string& what, const std::string& value) const;

  /// A line for each value.
  std::string text() const;

 private:
  std::map<std::string, std::map<std::string, std::size_t>> counts_;
};

}  // namespace fastnorm::test
