// SPDX-License-Identifier: Apache-2.0
// What Kokkos would end the process for is a status, and a later call without it works.
#include "backends/kokkos/error_text.hpp"
#include "backends/kokkos/host_backend.hpp"
#include "support/scoped_environment.hpp"
#include "support/shapes.hpp"
#include "support/trial.hpp"

#include <fastnorm/norm.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace fastnorm::test {
namespace {

struct Malformed {
  std::string name;
  std::string value;
  std::string message;
};

std::vector<Malformed> all_malformed() {
  const std::string number = "KOKKOS_NUM_THREADS";
  const std::string device = "KOKKOS_DEVICE_ID";
#ifdef KOKKOS_ENABLE_OPENMP
  const std::string from_1 = " must be an integer from 1 to 512";
#else
  const std::string from_1 = " must be an integer from 1 to 2147483647";
#endif
  const std::string from_0 = " must be an integer from 0 to 2147483647";
  std::vector<Malformed> all = {
      {number, "abc", number + "=\"abc\"" + from_1},
      {number, "", number + "=\"\"" + from_1},
      {number, "0", number + "=\"0\"" + from_1},
      {number, "-2", number + "=\"-2\"" + from_1},
      {number, "3x", number + "=\"3x\"" + from_1},
      {number, "4294967297", number + "=\"4294967297\"" + from_1},
      {number, "99999999999999999999", number + "=\"99999999999999999999\"" + from_1},
      {number, "\x1b[31m", number + "=\"\\x1b[31m\"" + from_1},
      {device, "-1", device + "=\"-1\"" + from_0},
  };
#if KOKKOS_VERSION >= 30700
  const std::string switches = " must be one of yes, true, 1, no, false, 0";
  for (const std::string name :
       {"KOKKOS_DISABLE_WARNINGS", "KOKKOS_PRINT_CONFIGURATION", "KOKKOS_TUNE_INTERNALS"}) {
    all.push_back({name, "maybe", name + "=\"maybe\"" + switches});
  }
  const std::string map = "KOKKOS_MAP_DEVICE_ID_BY";
  all.push_back({map, "Random", map + "=\"Random\" must be one of random, mpi_rank"});
#endif
  return all;
}

TEST(Environment, WhatIsMalformedIsRefusedUntilItIsMended) {
  for (const Malformed& malformed : all_malformed()) {
    const ScopedEnvironment variable(malformed.name, malformed.value);
    const Status status = kokkos::host_backend().device(-1).status();
    EXPECT_EQ(status.code(), StatusCode::invalid_argument) << malformed.name;
    EXPECT_EQ(status.message(), malformed.message);
    ASSERT_FALSE(Kokkos::is_initialized()) << malformed.message;
  }
#if KOKKOS_VERSION < 30700  // Later ones know no such variable.
  {
    const ScopedEnvironment devices("KOKKOS_NUM_DEVICES", "zz");
    const Status status = kokkos::host_backend().device(-1).status();
    EXPECT_EQ(status.code(), StatusCode::unavailable);
    EXPECT_EQ(status.message(),
              "Kokkos could not be initialized: Error: cannot convert KOKKOS_NUM_DEVICES to an "
              "integer. Raised by Kokkos::initialize(int narg, char* argc[]).");
    ASSERT_FALSE(Kokkos::is_initialized());
  }
#endif
  const ScopedEnvironment threads("KOKKOS_NUM_THREADS", " 2");
#if KOKKOS_VERSION >= 30700
  const ScopedEnvironment warnings("KOKKOS_DISABLE_WARNINGS", "YES");
#endif
  PlanOptions options;
  options.memory = MemorySpace::host;
  Trial trial(random_trial(group_norm_desc({2, 8, 5000}, 4)), host_memory());
  EXPECT_TRUE(run_normalize(trial, options));
}

TEST(Environment, OfWhatKokkosThrowsALineIsSaid) {
  const std::runtime_error traced("wrong\nTraceback functionality not available\n\n");
  EXPECT_EQ(kokkos::text_of(traced), "wrong");
  EXPECT_EQ(kokkos::text_of(std::runtime_error("wrong")), "wrong");
}

}  // namespace
}  // namespace fastnorm::test
