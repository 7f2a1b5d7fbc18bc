// SPDX-License-Identifier: Apache-2.0
/// Where a tensor has the elements of its rows, and what lies between them. For host and device.
#pragma once

#include "core/row_memory.hpp"

#include <cstdint>

namespace fastnorm::measure {

/// Of a row's first element.
constexpr std::int64_t place_of_row(const RowMemory& memory, const RowStrides& strides,
                                    std::int64_t row) noexcept {
  return row / memory.rows_per_outer * strides.outer + row % memory.rows_per_outer * strides.row;
}

/// How far behind that one element i of the row lies.
constexpr std::int64_t place_in_row(const RowMemory& memory, const RowStrides& strides,
                                    std::int64_t i) noexcept {
  if (memory.runs == 1) return i;
  return i / memory.run_len * strides.run + i % memory.run_len;
}

/// Whether neighbouring rows lie nearer to each other than the runs of one: channels-last, columns.
constexpr bool rows_take_turns(const RowMemory& memory, const RowStrides& strides) noexcept {
  return memory.runs > 1 && memory.rows_per_outer > 1 && strides.row < strides.run;
}

/// All places from a tensor's first element to its last; some have no element.
class Places {
 public:
  Places(const RowMemory& memory, const RowStrides& strides);

  constexpr std::int64_t span() const noexcept { return span_; }
  bool has_gaps() const noexcept { return elements_ < span_; }

  /// Whether an element lies there. A stride is longer than what the smaller ones reach together.
  constexpr bool has_element(std::int64_t place) const noexcept {
    for (const Step& step : steps_) {
      const std::int64_t steps = place / step.stride;
      if (steps >= step.count) return false;
      place -= steps * step.stride;
    }
    return place == 0;
  }

 private:
  struct Step {
    std::int64_t count;
    std::int64_t stride;
  };

  Step steps_[4];  ///< The largest stride first.
  std::int64_t span_;
  std::int64_t elements_;
};

}  // namespace fastnorm::measure
