// SPDX-License-Identifier: Apache-2.0
// Which strides have a form, from the places of all elements.
#include "faults.hpp"
#include "support/places.hpp"
#include "support/shapes.hpp"

#include <cstdint>

namespace fastnorm::test {
namespace {

/// Places in x and in y, in elements.
struct Place {
  std::int64_t x = 0;
  std::int64_t y = 0;
  friend Place operator-(Place a, Place b) { return {a.x - b.x, a.y - b.y}; }
  friend bool operator==(Place a, Place b) { return a.x == b.x && a.y == b.y; }
};
using Places = std::vector<Place>;

/// Whether there are runs of `run` places, the same step apart within each and another from one to
/// the next.
bool are_equal_runs(const Places& places, std::size_t run) {
  const Place first = places.front();
  const Place step = run > 1 ? places[1] - first : Place{};
  const Place leap = run < places.size() ? places[run] - first : Place{};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto runs = static_cast<std::int64_t>(i / run);
    const auto steps = static_cast<std::int64_t>(i % run);
    const Place expected = {runs * leap.x + steps * step.x, runs * leap.y + steps * step.y};
    if (!(places[i] - first == expected)) return false;
  }
  return true;
}

/// Two distances lead to all of them, one within the other.
bool take_two_distances(const Places& rows) {
  for (std::size_t run = 1; run <= rows.size(); ++run) {
    if (rows.size() % run == 0 && are_equal_runs(rows, run)) return true;
  }
  return false;
}

/// Elements side by side in both tensors, in runs of one length, equally far apart.
bool are_runs_side_by_side(const Places& row) {
  constexpr Place side_by_side{1, 1};
  for (std::size_t run = 1; run <= row.size(); ++run) {
    if (row.size() % run != 0 || !are_equal_runs(row, run)) continue;
    if (run == 1 || row[1] - row[0] == side_by_side) return true;
  }
  return false;
}

/// The elements of a row in one order.
using Order = std::vector<std::size_t>;

/// Channel by channel, as the extents have them.
Order by_channels(const LogicalShape& shape) {
  Order order;
  for (std::size_t i = 0; i < shape.row_len(); ++i) order.push_back(i);
  return order;
}

Order by_positions(const LogicalShape& shape) {
  Order order;
  for (std::size_t s = 0; s < shape.spatial; ++s) {
    for (std::size_t c = 0; c < shape.c / shape.groups; ++c) order.push_back(c * shape.spatial + s);
  }
  return order;
}

}  // namespace

bool has_form(const NormDesc& desc) {
  const LogicalShape shape = logical_shape(desc);
  if (shape.elements() == 0) return true;
  const std::vector<std::size_t> x = places(desc, desc.x_strides);
  const std::vector<std::size_t> y = places(desc, desc.y_strides);
  const auto place = [&](std::size_t i) {
    return Place{static_cast<std::int64_t>(x[i]), static_cast<std::int64_t>(y[i])};
  };
  Places rows;
  for (std::size_t r = 0; r < shape.statistics(); ++r) rows.push_back(place(r * shape.row_len()));
  if (!take_two_distances(rows)) return false;

  // All rows are like the first.
  const auto row_in = [&](const Order& order) {
    Places row;
    for (const std::size_t i : order) row.push_back(place(i));
    return row;
  };
  return are_runs_side_by_side(row_in(by_channels(shape))) ||
         are_runs_side_by_side(row_in(by_positions(shape)));
}

}  // namespace fastnorm::test
