// SPDX-License-Identifier: Apache-2.0
#include "measure/places.hpp"

#include <algorithm>
#include <iterator>

namespace fastnorm::measure {

Places::Places(const RowMemory& memory, const RowStrides& strides)
    : steps_{{memory.outers, strides.outer},
             {memory.rows_per_outer, strides.row},
             {memory.runs, strides.run},
             {memory.run_len, 1}},
      span_(memory.span(strides)),
      elements_(memory.outers * memory.rows_per_outer * memory.runs * memory.run_len) {
  // What is there once has no stride; none of its steps is ever taken.
  for (Step& step : steps_) {
    if (step.count == 1) step.stride = span_;
  }
  std::sort(std::begin(steps_), std::end(steps_),
            [](const Step& a, const Step& b) { return a.stride > b.stride; });
}

}  // namespace fastnorm::measure
