// SPDX-License-Identifier: Apache-2.0
/// What earlier sessions of a run have measured, by what was asked.
#pragma once

#include "tuner/journal_record.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace fastnorm::tuner {

/// Each answer is given once, and those to the same question in their order. Found by the question
/// and not by their place, they serve a search that goes another way, too.
class RecordedCase {
 public:
  std::optional<CaseBegun> begun;
  bool stored = false;

  void add(const Verified& answer);
  void add(const Timed& answer);

  std::optional<Verified> take_verified(const std::string& contender, Placement placement);
  std::optional<Timed> take_timed(const std::string& contender,
                                  const measure::SampleLimits& limits);

 private:
  std::map<std::tuple<std::string, Placement>, std::deque<Verified>> verified_;
  std::map<std::tuple<std::string, int, int, double>, std::deque<Timed>> timed_;
};

using RecordedRun = std::map<TuningNumber, RecordedCase>;

RecordedRun recorded_run(const std::vector<JournalRecord>& records);

}  // namespace fastnorm::tuner
