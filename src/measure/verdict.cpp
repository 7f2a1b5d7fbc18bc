// SPDX-License-Identifier: Apache-2.0
#include "measure/verdict.hpp"

#include <cstdio>

namespace fastnorm::measure {
namespace {

/// "y[1, 0, 2, 3]".
std::string element_of_y(const std::vector<std::int64_t>& index) {
  std::string text;
  for (const std::int64_t i : index) text += (text.empty() ? "y[" : ", ") + std::to_string(i);
  return text + "]";
}

}  // namespace

std::string Verdict::describe() const {
  char text[256];
  std::string result;
  if (violations == 0) {
    std::snprintf(text, sizeof text, "y right, worst error %.2g of the tolerance", worst_ratio);
  } else {
    std::snprintf(text, sizeof text,
                  "%lld elements of y wrong, worst %s: %.9g instead of %.9g (%.3g times the "
                  "tolerance)",
                  static_cast<long long>(violations), element_of_y(worst_index).c_str(), got,
                  expected, worst_ratio);
  }
  result = text;
  if (!damaged.empty()) result += "; written where nothing may be written: " + damaged;
  return result;
}

}  // namespace fastnorm::measure
