// SPDX-License-Identifier: Apache-2.0
/// Makes the call of a case, and judges the answer.
#pragma once

#include "faults.hpp"
#include "property_case.hpp"

#include <fastnorm/plan.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

namespace fastnorm::test {

/// What the library says to a call.
struct Answer {
  Status status;
  std::optional<Plan> plan{};  ///< If the call was by a plan, and there is one.
};

/// What it has to say.
struct Expectation {
  Faults faults{};  ///< One of them, if there are any.
  /// Or this, where a sound call may be declined.
  std::optional<Fault> declined{};
};

/// The case with its tensors in memory; none for a plan alone.
struct LaidOut {
  std::unique_ptr<Trial> trial{};
  NormArgs args{};
};
LaidOut lay_out(const PropertyCase& one);

/// By the documentation. Of the answer it needs to know what workspace the plan asks for.
Expectation expect(const PropertyCase& one, const LaidOut& laid, const Answer& answer);

/// Whether status and plan are as expected, and the tensors as a call leaves them that succeeds or
/// is refused.
::testing::AssertionResult judge(const PropertyCase& one, const LaidOut& laid,
                                 const Expectation& expected, const Answer& answer);

/// What became of a case.
struct Outcome {
  ::testing::AssertionResult verdict = ::testing::AssertionSuccess();
  std::string kind{};      ///< "right", "refused: invalid_argument", ...
  std::string strategy{};  ///< That ran.
  bool was_valid = false;  ///< Nothing was wrong with the call.
};
Outcome run_case(const PropertyCase& one, Stream stream);

}  // namespace fastnorm::test
