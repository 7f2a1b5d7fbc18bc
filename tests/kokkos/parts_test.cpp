// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/parts.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace fastnorm::kokkos {
namespace {

TEST(Parts, CoverTheRowOnceInOrder) {
  for (const std::int64_t row_len : {1, 15, 16, 17, 100, 1000, 4096, 1000003}) {
    for (const std::int64_t splits : {1, 2, 3, 7, 64, 1024}) {
      const Parts parts = Parts::of(row_len, splits);
      ASSERT_GE(parts.per_row, 1);
      EXPECT_LE(parts.per_row, splits);
      std::int64_t covered = 0;
      for (std::int64_t part = 0; part < parts.per_row; ++part) {
        EXPECT_EQ(parts.begin(part), covered);
        EXPECT_EQ(parts.begin(part) % 16, 0);
        EXPECT_LT(parts.begin(part), parts.end(part));
        covered = parts.end(part);
      }
      EXPECT_EQ(covered, row_len) << splits << " splits";
    }
  }
}

TEST(Parts, OfAnEmptyRowThereAreNone) { EXPECT_EQ(Parts::of(0, 8).per_row, 0); }

}  // namespace
}  // namespace fastnorm::kokkos
