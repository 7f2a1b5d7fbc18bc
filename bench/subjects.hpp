// SPDX-License-Identifier: Apache-2.0
/// Which measurements there are: cases x back ends x (tuned, default, each strategy).
#pragma once

#include "core/dispatcher.hpp"
#include "measure/cases.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/plan.hpp>
#include <fastnorm/status.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace fastnorm::bench {

/// The back ends to measure, each with its current device. `wanted` is a back end's name, "all", or
/// empty for those of the GPU if there is one and those of the host otherwise.
/// Not empty. Errors: invalid_argument for an unknown name, unavailable if none has a device.
Result<std::vector<Candidate>> find_targets(const std::string& wanted);

/// One measurement.
struct Subject {
  /// forward/<case>/<back end>[/default | /forced:<strategy> | /config:<strategy>:<configuration>]
  std::string name;
  measure::Case workload;
  NormDesc desc;
  Candidate target;
  PlanOptions options;
};

/// What is not measured, and why.
struct Skipped {
  std::string what;
  std::string why;
};

struct SubjectList {
  std::vector<Subject> subjects;
  std::vector<Skipped> skipped;
};

/// With at most `configs` configurations of each strategy's space, as far apart as they can be, in
/// addition to its default.
SubjectList list_subjects(const std::vector<measure::Case>& cases,
                          const std::vector<Candidate>& targets, std::size_t configs);

/// Drops the subjects whose name does not match, by the rules of --benchmark_filter: a POSIX
/// extended regular expression, a leading '-' for those that do not match, "" or "all" for
/// everything. Errors: invalid_argument for a malformed expression.
Status keep_matching(std::vector<Subject>& subjects, const std::string& filter);

}  // namespace fastnorm::bench
