// SPDX-License-Identifier: Apache-2.0
#include "core/row_memory.hpp"

#include <algorithm>
#include <array>

namespace fastnorm {
namespace {

struct Step {
  std::int64_t count;
  std::int64_t stride;
};

/// The largest strides first; what is there only once takes no steps.
std::array<Step, 4> steps_of(const RowMemory& memory, const RowStrides& strides) {
  std::array<Step, 4> steps = {Step{memory.outers, strides.outer},
                               Step{memory.rows_per_outer, strides.row},
                               Step{memory.runs, strides.run}, Step{memory.run_len, 1}};
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
    return (a.count > 1 ? a.stride : 0) > (b.count > 1 ? b.stride : 0);
  });
  return steps;
}

/// Whether `distance` is a sum of fewer than `count` steps of each kind, forward or back. What the
/// smaller strides reach together is less than a stride, so that two numbers of steps can be right.
bool reaches(const Step* step, const Step* end, std::int64_t distance) {
  if (step == end || step->count < 2) return distance == 0;
  const std::int64_t steps = distance / step->stride;
  for (const std::int64_t k : {steps, distance < 0 ? steps - 1 : steps + 1}) {
    if (k > -step->count && k < step->count &&
        reaches(step + 1, end, distance - k * step->stride)) {
      return true;
    }
  }
  return false;
}

bool side_by_side(const StridedAxis& axis) { return axis.x_stride == 1 && axis.y_stride == 1; }

}  // namespace

std::int64_t RowMemory::span(const RowStrides& strides) const noexcept {
  return (outers - 1) * strides.outer + (rows_per_outer - 1) * strides.row +
         (runs - 1) * strides.run + run_len;
}

bool RowMemory::share_a_place(const RowStrides& strides, std::int64_t distance) const noexcept {
  const std::array<Step, 4> steps = steps_of(*this, strides);
  return reaches(steps.data(), steps.data() + steps.size(), distance);
}

Result<RowMemory> row_memory(const StridedAxes& rows, const StridedAxes& elements) {
  const StridedAxes of_rows = rows.joined();
  const StridedAxes of_elements = elements.joined();
  if (of_rows.size() > 2) {
    return Status(StatusCode::unsupported,
                  "the extents that are not normalised must join to two at most (an extent joins "
                  "the one before where that one's stride is its own times itself)");
  }
  constexpr StridedAxis once{1, 0, 0};
  StridedAxis outer = once;
  StridedAxis row = once;
  if (of_rows.size() > 0) row = of_rows[of_rows.size() - 1];
  if (of_rows.size() > 1) outer = of_rows[0];

  StridedAxis run = once;
  std::int64_t run_len = 1;
  if (of_elements.size() > 0) {
    const StridedAxis& last = of_elements[of_elements.size() - 1];
    if (side_by_side(last)) run_len = last.extent;
    // Those before the last run are its repetitions; without a run, each element is one.
    const int left = side_by_side(last) ? of_elements.size() - 1 : of_elements.size();
    if (left > 1) {
      return Status(StatusCode::unsupported,
                    "the elements of a row must be runs of stride 1 that lie equally far apart");
    }
    if (left == 1) run = of_elements[0];
  }

  RowMemory memory;
  memory.outers = outer.extent;
  memory.rows_per_outer = row.extent;
  memory.runs = run.extent;
  memory.run_len = run_len;
  memory.x = {outer.x_stride, row.x_stride, run.x_stride};
  memory.y = {outer.y_stride, row.y_stride, run.y_stride};
  return memory;
}

}  // namespace fastnorm
