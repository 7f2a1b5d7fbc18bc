// SPDX-License-Identifier: Apache-2.0
#include "tuner/recorded_run.hpp"

#include <utility>
#include <variant>

namespace fastnorm::tuner {
namespace {

template <class Answers, class Question>
auto take_first(Answers& answers, const Question& question)
    -> std::optional<typename Answers::mapped_type::value_type> {
  const auto found = answers.find(question);
  if (found == answers.end() || found->second.empty()) return std::nullopt;
  auto answer = std::move(found->second.front());
  found->second.pop_front();
  return answer;
}

/// Puts each record to its case.
struct Sorter {
  RecordedRun& run;

  void operator()(const RunBegun&) const {}
  void operator()(const CaseBegun& begun) const { run[begun.tuning].begun = begun; }
  void operator()(const Verified& answer) const { run[answer.tuning].add(answer); }
  void operator()(const Timed& answer) const { run[answer.tuning].add(answer); }
  void operator()(const WinnersStored& stored) const { run[stored.tuning].stored = true; }
};

}  // namespace

void RecordedCase::add(const Verified& answer) {
  verified_[{answer.contender, answer.placement}].push_back(answer);
}

void RecordedCase::add(const Timed& answer) {
  const measure::SampleLimits& limits = answer.limits;
  timed_[{answer.contender, limits.at_least, limits.at_most, limits.seconds}].push_back(answer);
}

std::optional<Verified> RecordedCase::take_verified(const std::string& contender,
                                                    Placement placement) {
  return take_first(verified_, std::tuple(contender, placement));
}

std::optional<Timed> RecordedCase::take_timed(const std::string& contender,
                                              const measure::SampleLimits& limits) {
  return take_first(timed_, std::tuple(contender, limits.at_least, limits.at_most, limits.seconds));
}

RecordedRun recorded_run(const std::vector<JournalRecord>& records) {
  RecordedRun run;
  for (const JournalRecord& record : records) std::visit(Sorter{run}, record);
  return run;
}

}  // namespace fastnorm::tuner
