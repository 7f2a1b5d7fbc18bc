// SPDX-License-Identifier: Apache-2.0
#include "support/places.hpp"

namespace fastnorm::test {
namespace {

std::vector<int> axes_down(int from, int to) {
  std::vector<int> axes;
  for (int axis = from; axis >= to; --axis) axes.push_back(axis);
  return axes;
}

std::vector<int> joined(std::vector<int> first, const std::vector<int>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// C before the spatial extents.
std::vector<int> channels_last(int rank) {
  return joined(joined({1}, axes_down(rank - 1, 2)), {0});
}

NormDesc with_strides(NormDesc desc, const Strides& x, const Strides& y) {
  desc.x_strides = x;
  desc.y_strides = y;
  return desc;
}

}  // namespace

std::vector<std::size_t> places(const NormDesc& desc, const Strides& strides) {
  const Extents& extents = desc.extents;
  const int rank = extents.rank();
  Strides distances = strides;
  if (strides.rank() == 0) {
    const bool last = desc.layout == Layout::channels_last;
    distances = strides_in_order(extents, last ? channels_last(rank) : axes_down(rank - 1, 0),
                                 std::vector<std::int64_t>(static_cast<std::size_t>(rank), 0));
  }
  std::vector<std::size_t> all{0};
  for (int axis = 0; axis < rank; ++axis) {
    std::vector<std::size_t> finer;
    for (const std::size_t place : all) {
      for (std::int64_t i = 0; i < extents[axis]; ++i) {
        finer.push_back(place + static_cast<std::size_t>(i * distances[axis]));
      }
    }
    all = std::move(finer);
  }
  return all;
}

Strides strides_in_order(const Extents& extents, const std::vector<int>& innermost_first,
                         const std::vector<std::int64_t>& gaps) {
  std::vector<std::int64_t> values(innermost_first.size());
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < innermost_first.size(); ++i) {
    const int axis = innermost_first[i];
    values[static_cast<std::size_t>(axis)] = stride;
    stride = stride * extents[axis] + gaps[i];
  }
  Strides strides;
  for (const std::int64_t value : values) strides.push_back(value);
  return strides;
}

NormDesc over_channels(NormDesc desc) {
  const int rank = desc.extents.rank();
  const std::vector<int> innermost_first = joined(axes_down(rank - 2, 1), {rank - 1, 0});
  desc.x_strides = strides_in_order(desc.extents, innermost_first,
                                    std::vector<std::int64_t>(static_cast<std::size_t>(rank), 0));
  desc.y_strides = desc.x_strides;
  return desc;
}

std::vector<NormDesc> other_layouts(const NormDesc& desc) {
  const Extents& extents = desc.extents;
  const int rank = extents.rank();
  const auto gaps = [rank](std::size_t after, std::int64_t gap) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(rank), 0);
    all[after] = gap;
    return all;
  };
  const Strides dense{};
  std::vector<NormDesc> others;
  if (desc.op == Op::group_norm || desc.op == Op::instance_norm) {
    NormDesc last = desc;
    last.layout = Layout::channels_last;
    others.push_back(last);
    // Pixels that are a part of wider ones, and samples apart.
    const std::vector<int> pixels = channels_last(rank);
    const Strides slice = strides_in_order(extents, pixels, gaps(0, 2));
    others.push_back(with_strides(
        desc, slice,
        strides_in_order(extents, pixels, gaps(static_cast<std::size_t>(rank) - 2, 7))));
    // Images with a gap behind each channel.
    if (rank > 2) {
      const Strides padded = strides_in_order(extents, axes_down(rank - 1, 0),
                                              gaps(static_cast<std::size_t>(rank) - 3, 3));
      others.push_back(with_strides(desc, padded, dense));
      others.push_back(with_strides(desc, padded, padded));
    }
    return others;
  }
  const int leading = rank - desc.normalized_rank;
  if (leading == 0) return others;
  const auto row = static_cast<std::size_t>(desc.normalized_rank) - 1;
  const std::vector<int> rows = axes_down(rank - 1, 0);
  others.push_back(with_strides(desc, strides_in_order(extents, rows, gaps(row, 7)),
                                strides_in_order(extents, rows, gaps(row, 2))));
  others.push_back(with_strides(desc, dense, strides_in_order(extents, rows, gaps(row, 1))));
  const std::vector<int> columns = joined(axes_down(leading - 1, 0), axes_down(rank - 1, leading));
  const auto height = static_cast<std::size_t>(leading) - 1;
  others.push_back(with_strides(desc, strides_in_order(extents, columns, gaps(height, 3)),
                                strides_in_order(extents, columns, gaps(height, 0))));
  others.push_back(with_strides(desc, strides_in_order(extents, columns, gaps(height, 0)), dense));
  return others;
}

}  // namespace fastnorm::test
