// SPDX-License-Identifier: Apache-2.0
// More threads than Kokkos's OpenMP space has room for: refused where a variable asks for them, and
// so many as there is room for where nobody does. Its memory was corrupted.
#include "backends/kokkos/environment.hpp"
#include "backends/kokkos/host_backend.hpp"
#include "support/scoped_environment.hpp"
#include "support/shapes.hpp"
#include "support/trial.hpp"

#include <fastnorm/backend_info.hpp>
#include <fastnorm/norm.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <string>
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace fastnorm::test {
namespace {

#ifdef KOKKOS_ENABLE_OPENMP
void expect_refused(const std::string& variable, const std::string& value) {
  const ScopedEnvironment asked(variable, value);
  const Status status = kokkos::host_backend().device(-1).status();
  EXPECT_EQ(status.code(), StatusCode::invalid_argument) << variable << "=" << value;
  EXPECT_EQ(status.message(), variable + "=\"" + value + "\" must be an integer from 1 to 512");
  ASSERT_FALSE(Kokkos::is_initialized());
}

TEST(ManyThreads, AreRefusedWhereAVariableAsksForThem) {
  expect_refused("KOKKOS_NUM_THREADS", "513");
  expect_refused("KOKKOS_NUM_THREADS", "768");
  // What OpenMP reads of its variable when the program starts.
  omp_set_num_threads(600);
  expect_refused("OMP_NUM_THREADS", "600");
  expect_refused("OMP_NUM_THREADS", "600,4");
}

TEST(ManyThreads, AreNoFaultWhereKokkosTakesAnotherNumber) {
  const ScopedEnvironment openmp("OMP_NUM_THREADS", "600");
  omp_set_num_threads(600);
  {
    const ScopedEnvironment asked("KOKKOS_NUM_THREADS", "512");
    EXPECT_EQ(kokkos::check_environment().message(), "");
  }
  omp_set_num_threads(512);
  EXPECT_EQ(kokkos::check_environment().message(), "");
}

// As on a machine of more than 512 hardware threads.
TEST(ManyThreads, AreAsManyAsThereIsRoomForWhereNoVariableAsks) {
  ASSERT_FALSE(Kokkos::is_initialized());
  omp_set_num_threads(600);
  PlanOptions options;
  options.memory = MemorySpace::host;
  Trial trial(random_trial(group_norm_desc({2, 8, 5000}, 4)), host_memory());
  testing::internal::CaptureStderr();
  const testing::AssertionResult ran = run_normalize(trial, options);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "fastnorm: warning: OpenMP has 600 threads; Kokkos has room for 512 and starts with so "
            "many\n");
  EXPECT_TRUE(ran);

  const Result<BackendInfo> info = backend_info("kokkos-host");
  ASSERT_TRUE(info.ok()) << info.status().message();
  EXPECT_EQ(info.value().processors, 512);
  EXPECT_EQ(omp_get_max_threads(), 600) << "the program's own";
}
#else
TEST(ManyThreads, OfOtherSpacesHaveNoSuchLimit) {
  const ScopedEnvironment asked("KOKKOS_NUM_THREADS", "768");
  EXPECT_EQ(kokkos::check_environment().message(), "");
}
#endif

}  // namespace
}  // namespace fastnorm::test
