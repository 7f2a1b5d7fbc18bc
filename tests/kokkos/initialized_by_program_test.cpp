// SPDX-License-Identifier: Apache-2.0
// A program that uses Kokkos itself: the library joins it and leaves its lifetime alone.
#include "support/shapes.hpp"
#include "support/trial.hpp"

#include <fastnorm/norm.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

struct SumUp {
  void operator()(int i, int& sum) const { sum += i; }
};

TEST(InitializedByProgram, CallsJoinAndLeaveKokkosRunning) {
  Kokkos::initialize();
  {
    PlanOptions options;
    options.memory = MemorySpace::host;
    Trial trial(random_trial(group_norm_desc({2, 8, 5000}, 4)), host_memory());
    EXPECT_TRUE(run_normalize(trial, options));
  }
  EXPECT_TRUE(Kokkos::is_initialized());
  // The program's own loops go on.
  int sum = 0;
  Kokkos::parallel_reduce("after", Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, 10),
                          SumUp{}, sum);
  EXPECT_EQ(sum, 45);
  Kokkos::finalize();
}

}  // namespace
}  // namespace fastnorm::test
