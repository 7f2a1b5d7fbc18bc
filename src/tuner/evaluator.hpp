// SPDX-License-Identifier: Apache-2.0
/// What the search needs to know of a candidate. An interface, so that the search can be tested
/// without kernels.
#pragma once

#include "core/disturbances.hpp"
#include "measure/samples.hpp"
#include "tuner/search_space.hpp"

#include <fastnorm/status.hpp>

#include <vector>

namespace fastnorm::tuner {

class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// Runs the candidate several times from fresh buffers; the failure says what is wrong with its
  /// results, or why it does not run.
  virtual Status verify(const Contender& contender) = 0;

  /// The same with y = x, where both have one type.
  virtual Status verify_in_place(const Contender& contender) = 0;

  /// Microseconds of single runs, caches cold.
  virtual Result<std::vector<double>> time(const Contender& contender,
                                           const measure::SampleLimits& limits) = 0;

  /// What disturbed the timing that was asked for last; nothing where nobody watches.
  virtual Disturbances disturbances() const { return {}; }

  /// Failure once no candidate can be evaluated any more. What failed then says nothing about the
  /// candidate.
  virtual Status health() = 0;
};

}  // namespace fastnorm::tuner
