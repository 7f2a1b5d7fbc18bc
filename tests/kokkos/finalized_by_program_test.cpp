// SPDX-License-Identifier: Apache-2.0
// What is left after the program has finalised Kokkos: an answer, never a crash.
#include "backends/kokkos/host_backend.hpp"
#include "support/shapes.hpp"
#include "support/trial.hpp"

#include <fastnorm/norm.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <string>

namespace fastnorm::test {
namespace {

TEST(FinalizedByProgram, EveryCallSaysSo) {
  PlanOptions options;
  options.memory = MemorySpace::host;
  const NormDesc desc = group_norm_desc({2, 8, 5000}, 4);
  Trial trial(random_trial(desc), host_memory());

  // The library has started Kokkos; the program ends it.
  ASSERT_FALSE(Kokkos::is_initialized());
  ASSERT_TRUE(run_normalize(trial, options));
  const Result<Plan> plan = Plan::create(desc, options);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  GarbageWorkspace workspace(host_memory(), plan.value().workspace_bytes());
  ASSERT_TRUE(Kokkos::is_initialized());
  Kokkos::finalize();

  trial.reset();
  const Status results[] = {
      normalize(desc, trial.args(), {}, options),
      plan.value().execute(trial.args(), workspace.data(), workspace.size()),
      Plan::create(desc, options).status(),
      kokkos::host_backend().device(-1).status(),
  };
  for (const Status& status : results) {
    EXPECT_EQ(status.code(), StatusCode::unavailable);
    EXPECT_NE(status.message().find("Kokkos::finalize()"), std::string::npos) << status.message();
  }
  EXPECT_TRUE(trial.untouched());
}

}  // namespace
}  // namespace fastnorm::test
