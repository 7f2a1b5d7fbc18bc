// SPDX-License-Identifier: Apache-2.0
#include "measure/places.hpp"

#include "core/problem.hpp"
#include "support/places.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fastnorm::measure {
namespace {

/// Tensors by all forms of memory, dense ones too.
std::vector<NormDesc> layouts() {
  std::vector<NormDesc> all;
  for (const NormDesc& desc :
       {test::group_norm_desc({2, 6, 5, 7}, 3), test::group_norm_desc({1, 4, 9}, 1),
        test::instance_norm_desc({3, 5, 4}), test::layer_norm_desc({2, 3, 8}),
        test::rms_norm_desc({4, 3, 5}, 2), test::group_norm_desc({1, 1, 1}, 1)}) {
    all.push_back(desc);
    for (const NormDesc& other : test::other_layouts(desc)) all.push_back(other);
  }
  return all;
}

/// Whether each place from the first to the last has an element, from the definition alone.
std::vector<bool> occupied(const NormDesc& desc, const Strides& strides) {
  std::vector<bool> has;
  for (const std::size_t place : test::places(desc, strides)) {
    if (place >= has.size()) has.resize(place + 1, false);
    has[place] = true;
  }
  return has;
}

TEST(Places, AreThoseOfTheElements) {
  for (const NormDesc& desc : layouts()) {
    SCOPED_TRACE(test::to_text(desc));
    const Problem problem = Problem::create(desc).value();
    const RowMemory& memory = problem.memory();
    for (const auto& [given, strides] :
         {std::pair{desc.x_strides, memory.x}, std::pair{desc.y_strides, memory.y}}) {
      const std::vector<bool> expected = occupied(desc, given);
      const Places places(memory, strides);
      ASSERT_EQ(places.span(), static_cast<std::int64_t>(expected.size()));
      std::vector<bool> by_rows(expected.size(), false);
      for (std::int64_t row = 0; row < problem.rows(); ++row) {
        for (std::int64_t i = 0; i < problem.row_len(); ++i) {
          const std::int64_t place =
              place_of_row(memory, strides, row) + place_in_row(memory, strides, i);
          by_rows.at(static_cast<std::size_t>(place)) = true;
        }
      }
      EXPECT_EQ(by_rows, expected);
      bool gaps = false;
      for (std::size_t place = 0; place < expected.size(); ++place) {
        EXPECT_EQ(places.has_element(static_cast<std::int64_t>(place)), expected[place]) << place;
        gaps = gaps || !expected[place];
      }
      EXPECT_EQ(places.has_gaps(), gaps);
    }
  }
}

}  // namespace
}  // namespace fastnorm::measure
