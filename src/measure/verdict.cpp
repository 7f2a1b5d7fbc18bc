#include "measure/verdict.hpp"

#include <cstdio>

namespace fastnorm::measure {

std::string Verdict::describe() const {
  char text[256];
  std::string result;
  if (violations == 0) {
    std::snprintf(text, sizeof text, "y right, worst error %.2g of the tolerance", worst_ratio);
  } else {
    std::snprintf(text, sizeof text,
                  "%lld elements of y wrong, worst at index %lld: %.9g instead of %.9g "
                  "(%.3g times the tolerance)",
                  static_cast<long long>(violations), static_cast<long long>(worst_index), got,
                  expected, worst_ratio);
  }
  result = text;
  if (!damaged.empty()) result += "; written where nothing may be written: " + damaged;
  return result;
}

}  // namespace fastnorm::measure
