// SPDX-License-Identifier: Apache-2.0
/// A problem that a test takes for granted.
#pragma once

#include "core/problem.hpp"

#include <gtest/gtest.h>

namespace fastnorm::test {

inline Problem make_problem(const NormDesc& desc) {
  const Result<Problem> problem = Problem::create(desc);
  EXPECT_TRUE(problem.ok()) << problem.status().message();
  return problem.value();
}

}  // namespace fastnorm::test
