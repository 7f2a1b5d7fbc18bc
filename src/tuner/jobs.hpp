// SPDX-License-Identifier: Apache-2.0
/// The cases of a run that the library can run.
#pragma once

#include "core/problem.hpp"
#include "measure/cases.hpp"
#include "tuner/report.hpp"

#include <cstddef>
#include <vector>

namespace fastnorm::tuner {

struct Job {
  std::size_t number = 0;  ///< Its place in the run.
  measure::Case workload;
  Problem problem;
};

/// The cases that can be tuned; of those that a database cannot tell apart, the first. The report
/// is told of the others.
std::vector<Job> make_jobs(const std::vector<measure::Case>& cases, Report& report);

}  // namespace fastnorm::tuner
