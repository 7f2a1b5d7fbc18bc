// SPDX-License-Identifier: Apache-2.0
#include "histogram.hpp"

#include <iomanip>
#include <sstream>

namespace fastnorm::test {

std::size_t Histogram::of(const std::string& what, const std::string& value) const {
  const auto values = counts_.find(what);
  if (values == counts_.end()) return 0;
  const auto found = values->second.find(value);
  return found == values->second.end() ? 0 : found->second;
}

std::string Histogram::text() const {
  std::ostringstream text;
  for (const auto& [what, values] : counts_) {
    text << what << '\n';
    for (const auto& [value, count] : values)
      text << std::setw(8) << count << "  " << value << '\n';
  }
  return text.str();
}

}  // namespace fastnorm::test
