// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/streaming.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace fastnorm::kokkos {
namespace {

TEST(Streaming, CopiesFromAnywhereToAnywhereAndNoFurther) {
  std::vector<unsigned char> source(600);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<unsigned char>(i * 7 + 1);
  for (const std::size_t from : {0U, 4U, 63U}) {
    for (std::size_t to = 0; to < 70; ++to) {
      for (const std::size_t bytes : {0U, 1U, 63U, 64U, 65U, 127U, 128U, 200U, 500U}) {
        std::vector<unsigned char> target(700, 0);
        std::vector<unsigned char> expected = target;
        for (std::size_t i = 0; i < bytes; ++i) expected[to + i] = source[from + i];
        stream(target.data() + to, source.data() + from, bytes);
        finish_streaming();
        ASSERT_EQ(target, expected) << bytes << " bytes from " << from << " to " << to;
      }
    }
  }
}

}  // namespace
}  // namespace fastnorm::kokkos
