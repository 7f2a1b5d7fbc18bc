// SPDX-License-Identifier: Apache-2.0
#include "tuner/fake_sites.hpp"

#include "core/tuning_store.hpp"
#include "tuner/record.hpp"

#include <unistd.h>

#include <utility>
#include <variant>

namespace fastnorm::test {

using tuner::CaseStart;
using tuner::Contender;
using tuner::Job;
using tuner::Placement;

Status FakeSite::store(const std::vector<TuningEntry>& winners) {
  return merge_into_file(database_, file_of(winners));
}

Status FakeSite::restore(const std::vector<TuningEntry>& winners) {
  return restore_into_file(database_, file_of(winners));
}

TuningFile FakeSite::file_of(const std::vector<TuningEntry>& winners) const {
  return tuner::make_file(target_.candidate, {}, "2026-12-01", winners);
}

Result<std::vector<Contender>> FakeSite::known(const Job& job) const {
  return tuner::known_choices(job.problem, target_.candidate,
                              TuningDb(read_tuning_path(database_)));
}

// ---- Invented.

double InventingSite::uniform(double least, double most) {
  return std::uniform_real_distribution<double>(least, most)(random_);
}

Result<CaseStart> InventingSite::begin(const Job& job) {
  spend(std::chrono::milliseconds(static_cast<int>(uniform(50, 500))));
  Result<std::vector<Contender>> proposed = known(job);
  if (!proposed.ok()) return proposed.status();
  return CaseStart{uniform(40, 60), std::move(proposed).value(), uniform(0, 1)};
}

Status InventingSite::verify(const Contender& contender, Placement) {
  spend(std::chrono::microseconds(static_cast<int>(uniform(1000, 20000))));
  const bool is_default = contender.config == ListedVariant::config(0);
  if (is_default || uniform(0, 1) > 0.05) return {};
  return {StatusCode::device_error, "wrong result:\ty[0]"};
}

Result<std::vector<double>> InventingSite::time(const Contender& contender,
                                                const measure::SampleLimits& limits) {
  spend(std::chrono::microseconds(static_cast<int>(uniform(1000, 20000))));
  const int number = contender.config.get<NumberedConfig>()->number;
  const double typical = 100 + (number * 7) % 19 - 9;
  std::vector<double> samples;
  for (int i = 0; i < limits.at_least; ++i) samples.push_back(typical * uniform(0.98, 1.02));
  return samples;
}

// ---- Recorded.

namespace {

/// Takes the answers that were given out of a recording.
struct Remover {
  tuner::RecordedRun& recording;

  void operator()(const tuner::RunBegun&) const {}
  void operator()(const tuner::CaseBegun&) const {}
  void operator()(const tuner::WinnersStored&) const {}
  void operator()(const tuner::Verified& given) const {
    recording[given.tuning].take_verified(given.contender, given.placement);
  }
  void operator()(const tuner::Timed& given) const {
    recording[given.tuning].take_timed(given.contender, given.limits);
  }
};

}  // namespace

RecordedSite::RecordedSite(const FakeTarget& target, std::filesystem::path database,
                           const std::vector<tuner::JournalRecord>& recording,
                           const std::vector<tuner::JournalRecord>& finished, Moment moment)
    : FakeSite(target, std::move(database)),
      recording_(tuner::recorded_run(recording)),
      moment_(std::move(moment)) {
  for (const tuner::JournalRecord& record : finished) std::visit(Remover{recording_}, record);
}

Result<CaseStart> RecordedSite::begin(const Job& job) {
  moment_();
  current_ = &recording_[{0, job.number}];
  if (!current_->begun) _exit(unanswered);
  spend(current_->begun->took);
  Result<std::vector<Contender>> proposed = known(job);
  if (!proposed.ok()) return proposed.status();
  return CaseStart{current_->begun->copy_us, std::move(proposed).value(),
                   current_->begun->copy_mad_us};
}

Status RecordedSite::verify(const Contender& contender, Placement placement) {
  moment_();
  const auto answer = current_->take_verified(contender.text(), placement);
  if (!answer) _exit(unanswered);
  spend(answer->took);
  return answer->status;
}

Result<std::vector<double>> RecordedSite::time(const Contender& contender,
                                               const measure::SampleLimits& limits) {
  moment_();
  const auto answer = current_->take_timed(contender.text(), limits);
  if (!answer) _exit(unanswered);
  spend(answer->took);
  if (!answer->status.ok()) return answer->status;
  return answer->samples_us;
}

Status RecordedSite::store(const std::vector<TuningEntry>& winners) {
  moment_();
  Status status = FakeSite::store(winners);
  moment_();
  return status;
}

}  // namespace fastnorm::test
