// SPDX-License-Identifier: Apache-2.0
// The first call of a process, made by each thread of an OpenMP region. One test in a process of
// its own.
#include "support/shapes.hpp"
#include "support/trial.hpp"

#include <fastnorm/backend_info.hpp>
#include <fastnorm/norm.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace fastnorm::test {
namespace {

#ifdef KOKKOS_ENABLE_OPENMP
TEST(FirstCallInRegion, StartsKokkosWithTheProgramsThreads) {
  constexpr int callers = 5;
  constexpr int threads = 3;
  const NormDesc desc = group_norm_desc({2, 8, 5000}, 4);
  PlanOptions options;
  options.memory = MemorySpace::host;
  std::vector<std::unique_ptr<Trial>> trials;
  for (int i = 0; i < callers; ++i) {
    trials.push_back(std::make_unique<Trial>(random_trial(desc), host_memory()));
  }
  std::vector<std::string> failures(callers, "not called");

  ASSERT_FALSE(Kokkos::is_initialized());
  omp_set_num_threads(threads);
#pragma omp parallel for num_threads(callers)
  for (int i = 0; i < callers; ++i) {
    const auto index = static_cast<std::size_t>(i);
    failures[index] = normalize(desc, trials[index]->args(), {}, options).message();
  }
  for (std::size_t i = 0; i < callers; ++i) {
    EXPECT_EQ(failures[i], "");
    EXPECT_TRUE(trials[i]->check()) << "caller " << i;
  }

  const Result<BackendInfo> info = backend_info("kokkos-host");
  ASSERT_TRUE(info.ok()) << info.status().message();
  EXPECT_EQ(info.value().processors, threads);
  // Later calls, outside of regions, work as ever.
  Trial later(random_trial(desc), host_memory());
  EXPECT_TRUE(run_normalize(later, options));
}
#else
TEST(FirstCallInRegion, StartsKokkosWithTheProgramsThreads) {
  GTEST_SKIP() << "this Kokkos has no OpenMP";
}
#endif

}  // namespace
}  // namespace fastnorm::test
