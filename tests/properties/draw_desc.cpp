// SPDX-License-Identifier: Apache-2.0
#include "draw_desc.hpp"

#include "core/enum_values.hpp"
#include "support/places.hpp"
#include "support/shapes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

namespace fastnorm::test {
namespace {

int bits_below(std::int64_t value) {
  int bits = 0;
  while (value >> (bits + 1) > 0) ++bits;
  return bits;
}

bool is_prime(std::int64_t value) {
  for (std::int64_t factor = 2; factor * factor <= value; ++factor) {
    if (value % factor == 0) return false;
  }
  return value > 1;
}

/// 1, powers of two and their neighbours, primes, anything: each small as often as large.
std::int64_t draw_extent(std::int64_t most, Draw& draw) {
  const std::int64_t power = std::int64_t{1}
                             << draw.below(static_cast<std::size_t>(bits_below(most)) + 1);
  const auto within = [most](std::int64_t value) {
    return std::clamp(value, std::int64_t{1}, most);
  };
  switch (draw.below(6)) {
    case 0:
      return 1;
    case 1:
      return power;
    case 2:
      return within(power - 1);
    case 3:
      return within(power + 1);
    case 4: {
      std::int64_t prime = std::min(power, std::int64_t{1} << 20);
      while (prime > 1 && !is_prime(prime)) --prime;
      return within(prime);
    }
    default:
      return within(power + static_cast<std::int64_t>(draw.below(static_cast<std::size_t>(power))));
  }
}

std::vector<int> draw_order(int rank, Draw& draw) {
  std::vector<int> order;
  for (int axis = 0; axis < rank; ++axis) order.push_back(axis);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[draw.below(left)]);
  }
  return order;
}

Extents from_values(const std::vector<std::int64_t>& values) {
  Extents extents;
  for (const std::int64_t value : values) extents.push_back(value);
  return extents;
}

std::vector<std::int64_t> values_of(const Extents& extents) {
  std::vector<std::int64_t> values;
  for (int axis = 0; axis < extents.rank(); ++axis) values.push_back(extents[axis]);
  return values;
}

/// With a product of up to `most`, of which any extent may have the largest part: tall, thin, wide.
Extents draw_extents(int rank, std::int64_t most, Draw& draw) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(rank));
  for (const int axis : draw_order(rank, draw)) {
    std::int64_t& value = values[static_cast<std::size_t>(axis)];
    value = draw_extent(most, draw);
    most /= value;
  }
  return from_values(values);
}

/// 1 and C as often as what is between.
std::int64_t draw_groups(std::int64_t channels, Draw& draw) {
  if (draw.once_in(4)) return 1;
  if (draw.once_in(4)) return channels;
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d <= 1024 && d <= channels; ++d) {
    if (channels % d != 0) continue;
    divisors.push_back(d);
    divisors.push_back(channels / d);
  }
  return draw.one_of(divisors);
}

bool counts_channels(const NormDesc& desc, int axis) {
  const bool last_extents = desc.op == Op::layer_norm || desc.op == Op::rms_norm;
  return last_extents ? axis >= desc.extents.rank() - desc.normalized_rank : axis == 1;
}

NormDesc draw_shape(std::int64_t most, Draw& draw) {
  NormDesc desc;
  desc.op = draw.one_of(all_ops);
  if (desc.op == Op::group_norm || desc.op == Op::instance_norm) {
    desc.extents = draw_extents(2 + static_cast<int>(draw.below(5)), most, draw);
    const std::int64_t channels = desc.extents[1];
    if (desc.op == Op::group_norm) {
      desc.groups = draw_groups(channels, draw);
    } else {
      desc.groups = draw.once_in(2) ? 0 : channels;
    }
    return desc;
  }
  desc.extents = draw_extents(1 + static_cast<int>(draw.below(6)), most, draw);
  desc.normalized_rank =
      1 + static_cast<int>(draw.below(static_cast<std::size_t>(desc.extents.rank())));
  desc.groups = static_cast<std::int64_t>(draw.below(2));
  return desc;
}

/// No elements, if the operation has an extent that may be 0.
void empty(NormDesc& desc, Draw& draw) {
  std::vector<int> axes;
  for (int axis = 0; axis < desc.extents.rank(); ++axis) {
    if (!counts_channels(desc, axis)) axes.push_back(axis);
  }
  if (axes.empty()) return;
  std::vector<std::int64_t> values = values_of(desc.extents);
  values[static_cast<std::size_t>(draw.one_of(axes))] = 0;
  desc.extents = from_values(values);
}

double draw_eps(const NormDesc& desc, Draw& draw) {
  // Without eps, a row must have a variance, and one that is not near 0 by accident.
  constexpr std::size_t varied = 64;
  if (draw.once_in(8) && logical_shape(desc).row_len() >= varied) {
    return draw.one_of(std::array{0.0, -0.0, 1e-12, 1e-50});
  }
  return draw.one_of(std::array{1e-5, 1e-5, 1e-6, 1e-3, 0.5, 100.0});
}

/// The axes from the innermost: in their order, by channels, by columns, or any.
std::vector<int> draw_axes_in_memory(const NormDesc& desc, Draw& draw) {
  const int rank = desc.extents.rank();
  std::vector<int> axes;
  for (int axis = rank - 1; axis >= 0; --axis) axes.push_back(axis);
  switch (draw.below(4)) {
    case 0:
      return draw_order(rank, draw);
    case 1:  // Those that count channels, in front.
      std::stable_partition(axes.begin(), axes.end(),
                            [&](int axis) { return counts_channels(desc, axis); });
      return axes;
    case 2:  // All others in front.
      std::stable_partition(axes.begin(), axes.end(),
                            [&](int axis) { return !counts_channels(desc, axis); });
      return axes;
    default:
      return axes;
  }
}

std::int64_t span_of(const Extents& extents, const Strides& strides) {
  std::int64_t span = 1;
  for (int axis = 0; axis < extents.rank(); ++axis) span += (extents[axis] - 1) * strides[axis];
  return span;
}

Strides draw_strides(const NormDesc& desc, Draw& draw) {
  // An extent of 0 has the strides of 1: those of the others stay above 0 then.
  std::vector<std::int64_t> sizes = values_of(desc.extents);
  for (std::int64_t& size : sizes) size = std::max(size, std::int64_t{1});
  const Extents extents = from_values(sizes);
  const std::vector<int> axes = draw_axes_in_memory(desc, draw);
  const std::vector<std::int64_t> no_gaps(sizes.size(), 0);
  std::vector<std::int64_t> gaps = no_gaps;
  if (!draw.once_in(3)) {
    for (std::int64_t& gap : gaps) {
      if (draw.once_in(3)) gap = 1 + static_cast<std::int64_t>(draw.below(8));
    }
  }
  Strides strides = strides_in_order(extents, axes, gaps);
  constexpr std::int64_t most_span = 200'000;
  if (span_of(extents, strides) > most_span) strides = strides_in_order(extents, axes, no_gaps);

  // Where there is no neighbour, the stride says nothing.
  std::vector<std::int64_t> values = values_of(strides);
  for (std::size_t axis = 0; axis < values.size(); ++axis) {
    if (sizes[axis] > 1 || !draw.once_in(4)) continue;
    values[axis] = draw.one_of(
        std::array{std::int64_t{0}, std::int64_t{-1}, std::int64_t{7}, std::int64_t{1} << 50});
  }
  return from_values(values);
}

void draw_memory(NormDesc& desc, Draw& draw) {
  const bool has_channels = desc.op == Op::group_norm || desc.op == Op::instance_norm;
  if (has_channels && draw.once_in(3)) desc.layout = Layout::channels_last;
  if (!draw.once_in(3)) return;
  const Strides strides = draw_strides(desc, draw);
  switch (draw.below(4)) {
    case 0:
      desc.x_strides = strides;
      break;
    case 1:
      desc.y_strides = strides;
      break;
    case 2:
      desc.x_strides = desc.y_strides = strides;
      break;
    default:
      desc.x_strides = strides;
      desc.y_strides = draw_strides(desc, draw);
      break;
  }
}

}  // namespace

NormDesc draw_desc(Draw& draw) {
  NormDesc shape = draw_shape(std::int64_t{1} << draw.below(18), draw);
  if (draw.once_in(8)) empty(shape, draw);
  NormDesc desc = draw_form(std::move(shape), draw);
  desc.eps = draw_eps(desc, draw);
  constexpr float infinite = std::numeric_limits<float>::infinity();
  if (draw.once_in(4)) desc.epilogue.lower = -infinite;
  if (draw.once_in(4)) desc.epilogue.upper = infinite;
  draw_memory(desc, draw);
  return desc;
}

NormDesc draw_enormous_desc(Draw& draw) {
  const auto bits = 31 + draw.below(29);
  return draw_form(draw_shape(std::int64_t{1} << bits, draw), draw);
}

}  // namespace fastnorm::test
