// SPDX-License-Identifier: Apache-2.0
// The canonical form of any descriptor against the definition, element by element.
#include "core/problem.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace fastnorm {
namespace {

using test::group_norm_desc;
using test::instance_norm_desc;
using test::layer_norm_desc;
using test::rms_norm_desc;

/// An element by what the definition says of it, and where the tensors have it.
struct Element {
  std::int64_t row = 0;
  std::int64_t channel = 0;
  std::int64_t sample = 0;
  std::int64_t x = 0;
  std::int64_t y = 0;

  auto key() const { return std::tie(row, channel, sample, x, y); }
  friend bool operator<(const Element& a, const Element& b) { return a.key() < b.key(); }
  friend bool operator==(const Element& a, const Element& b) { return a.key() == b.key(); }
  friend std::ostream& operator<<(std::ostream& out, const Element& e) {
    return out << "row " << e.row << " channel " << e.channel << " sample " << e.sample << " x+"
               << e.x << " y+" << e.y;
  }
};

using Index = std::vector<std::int64_t>;

/// The place of an element, by its index along each extent.
std::int64_t place_of(const NormDesc& desc, const Strides& strides, const Index& index) {
  std::int64_t place = 0;
  const int rank = desc.extents.rank();
  if (strides.rank() > 0) {
    for (int axis = 0; axis < rank; ++axis) {
      place += index[static_cast<std::size_t>(axis)] * strides[axis];
    }
    return place;
  }
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  if (desc.layout == Layout::channels_last) {
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  }
  for (const int axis : order) {
    place = place * desc.extents[axis] + index[static_cast<std::size_t>(axis)];
  }
  return place;
}

bool is_over_last_extents(const NormDesc& desc) {
  return desc.op == Op::layer_norm || desc.op == Op::rms_norm;
}

Element defined(const NormDesc& desc, const Index& index) {
  Element element;
  const int rank = desc.extents.rank();
  element.x = place_of(desc, desc.x_strides, index);
  element.y = place_of(desc, desc.y_strides, index);
  if (is_over_last_extents(desc)) {
    const int leading = rank - desc.normalized_rank;
    for (int axis = 0; axis < rank; ++axis) {
      std::int64_t& number = axis < leading ? element.row : element.channel;
      number = number * desc.extents[axis] + index[static_cast<std::size_t>(axis)];
    }
    element.sample = leading > 0 ? index[0] : 0;
  } else {
    const std::int64_t groups = desc.op == Op::instance_norm ? desc.extents[1] : desc.groups;
    element.channel = index[1];
    element.sample = index[0];
    element.row = index[0] * groups + index[1] / (desc.extents[1] / groups);
  }
  return element;
}

/// All elements in the order of `axes`, the last of which runs fastest.
std::vector<Element> defined_elements(const NormDesc& desc, const std::vector<int>& axes) {
  std::vector<Element> elements;
  Index index(axes.size(), 0);
  for (;;) {
    elements.push_back(defined(desc, index));
    std::size_t i = axes.size();
    for (; i > 0; --i) {
      std::int64_t& at = index[static_cast<std::size_t>(axes[i - 1])];
      if (++at < desc.extents[axes[i - 1]]) break;
      at = 0;
    }
    if (i == 0) return elements;
  }
}

std::vector<Element> canonical_elements(const Problem& problem) {
  const RowMemory& memory = problem.memory();
  const AffineMap& map = problem.affine();
  const auto place = [&](const RowStrides& strides, std::int64_t r, std::int64_t i) {
    return r / memory.rows_per_outer * strides.outer + r % memory.rows_per_outer * strides.row +
           i / memory.run_len * strides.run + i % memory.run_len;
  };
  std::vector<Element> elements;
  for (std::int64_t r = 0; r < problem.rows(); ++r) {
    for (std::int64_t i = 0; i < problem.row_len(); ++i) {
      Element element;
      element.row = r;
      element.channel =
          r % map.row_period * map.channels_per_row + i / map.inner % map.channels_per_row;
      element.sample = r / problem.rows_per_sample();
      element.x = place(memory.x, r, i);
      element.y = place(memory.y, r, i);
      elements.push_back(element);
    }
  }
  return elements;
}

/// Whether places are `per_block` at a distance of `step` from each other, again and again at some
/// distance.
bool repeats(const std::vector<std::int64_t>& places, std::size_t per_block, std::int64_t step) {
  const std::int64_t block = per_block < places.size() ? places[per_block] - places[0] : 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto blocks = static_cast<std::int64_t>(i / per_block);
    const auto steps = static_cast<std::int64_t>(i % per_block);
    if (places[i] != places[0] + blocks * block + steps * step) return false;
  }
  return true;
}

/// Whether one of all conceivable forms fits the elements in this order: tried, not derived.
bool has_form(const std::vector<Element>& elements, std::int64_t rows) {
  std::vector<std::int64_t> x_rows, y_rows, x_elements, y_elements;
  const std::size_t row_len = elements.size() / static_cast<std::size_t>(rows);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i % row_len == 0) {
      x_rows.push_back(elements[i].x);
      y_rows.push_back(elements[i].y);
    }
    if (i < row_len) {
      x_elements.push_back(elements[i].x);
      y_elements.push_back(elements[i].y);
    }
  }
  bool rows_fit = false;
  for (std::size_t block = 1; block <= x_rows.size(); ++block) {
    const std::size_t second = block > 1 ? 1 : 0;
    rows_fit |= x_rows.size() % block == 0 && repeats(x_rows, block, x_rows[second] - x_rows[0]) &&
                repeats(y_rows, block, y_rows[second] - y_rows[0]);
  }
  bool elements_fit = false;
  for (std::size_t run = 1; run <= row_len; ++run) {
    elements_fit |=
        row_len % run == 0 && repeats(x_elements, run, 1) && repeats(y_elements, run, 1);
  }
  return rows_fit && elements_fit;
}

class RandomDescriptors {
 public:
  explicit RandomDescriptors(unsigned seed) : random_(seed) {}

  NormDesc draw() {
    const bool over_last = below(2) == 0;
    Extents extents;
    for (std::int64_t axis = over_last ? 0 : -1; axis < 1 + below(4); ++axis) {
      constexpr std::int64_t values[] = {1, 1, 2, 2, 3, 4};
      extents.push_back(values[below(6)]);
    }
    NormDesc desc;
    if (over_last) {
      const int normalized = 1 + static_cast<int>(below(extents.rank()));
      desc =
          below(2) == 0 ? layer_norm_desc(extents, normalized) : rms_norm_desc(extents, normalized);
    } else if (below(3) == 0) {
      desc = instance_norm_desc(extents);
    } else {
      std::int64_t groups = 1 + below(extents[1]);
      while (extents[1] % groups != 0) --groups;
      desc = group_norm_desc(extents, groups);
    }
    if (!over_last && below(2) == 0) desc.layout = Layout::channels_last;
    if (below(4) > 0) desc.x_strides = draw_strides(desc);
    if (below(3) > 0) {
      desc.y_strides = below(2) == 0 ? draw_strides(desc) : desc.x_strides;
    }
    return desc;
  }

 private:
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
  }

  /// Extents in their own order, with the second one last, or in any; mostly with few gaps.
  Strides draw_strides(const NormDesc& desc) {
    const auto rank = static_cast<std::size_t>(desc.extents.rank());
    std::vector<int> order(rank);
    std::iota(order.begin(), order.end(), 0);
    const std::int64_t kind = below(3);
    if (kind == 1 && rank > 1) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    if (kind == 2) std::shuffle(order.begin(), order.end(), random_);
    std::vector<std::int64_t> strides(rank);
    std::int64_t next = below(8) == 0 ? 2 : 1;
    for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
      const auto at = static_cast<std::size_t>(*axis);
      strides[at] = next;
      next *= desc.extents[*axis];
      if (below(5) == 0) next += below(4);
      if (desc.extents[*axis] == 1 && below(2) == 0) strides[at] = below(9) - 4;  // Unused.
    }
    Strides result;
    for (const std::int64_t stride : strides) result.push_back(stride);
    return result;
  }

  std::mt19937_64 random_;
};

std::string text_of(const NormDesc& desc) {
  return test::to_text(desc) + " " + to_string(desc.layout) + " " + shown_x_strides(desc) + " " +
         shown_y_strides(desc);
}

// Each logical element is met exactly once, at its place and with its channel and sample; and what
// is refused has no form.
TEST(ProblemPlaces, AnyDescriptorAgainstTheDefinition) {
  RandomDescriptors descriptors(3);
  int strided = 0;
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    const NormDesc desc = descriptors.draw();
    SCOPED_TRACE(text_of(desc));
    std::vector<int> in_order(static_cast<std::size_t>(desc.extents.rank()));
    std::iota(in_order.begin(), in_order.end(), 0);
    std::vector<Element> elements = defined_elements(desc, in_order);

    const Result<Problem> problem = Problem::create(desc);
    if (!problem.ok()) {
      ++refused;
      ASSERT_EQ(problem.status().code(), StatusCode::unsupported) << problem.status().message();
      const std::int64_t rows = elements.back().row + 1;
      ASSERT_FALSE(has_form(elements, rows)) << problem.status().message();
      if (is_over_last_extents(desc)) continue;
      // The other order: by row, then by position, then by channel.
      std::vector<int> channels_last = in_order;
      std::rotate(channels_last.begin() + 1, channels_last.begin() + 2, channels_last.end());
      elements = defined_elements(desc, channels_last);
      std::stable_sort(elements.begin(), elements.end(),
                       [](const Element& a, const Element& b) { return a.row < b.row; });
      ASSERT_FALSE(has_form(elements, rows)) << problem.status().message();
      continue;
    }
    std::vector<Element> canonical = canonical_elements(problem.value());
    strided += problem.value().dense_rows() ? 0 : 1;
    if (problem.value().dense_rows()) {
      for (std::size_t i = 0; i < canonical.size(); ++i) {
        ASSERT_EQ(canonical[i].x, static_cast<std::int64_t>(i));
        ASSERT_EQ(canonical[i].y, static_cast<std::int64_t>(i));
      }
    }
    std::sort(canonical.begin(), canonical.end());
    std::sort(elements.begin(), elements.end());
    ASSERT_EQ(canonical.size(), elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) ASSERT_EQ(canonical[i], elements[i]);
  }
  EXPECT_GT(strided, 4000);
  EXPECT_GT(refused, 1500);
}

}  // namespace
}  // namespace fastnorm
