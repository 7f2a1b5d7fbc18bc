// SPDX-License-Identifier: Apache-2.0
/// Sites without a device: one that makes measurements up, and one that repeats recorded ones. Both
/// write a real database. Their time is what their answers take.
#pragma once

#include "core/fake_backend.hpp"
#include "core/tuning_samples.hpp"
#include "tuner/listed_variant.hpp"
#include "tuner/recorded_run.hpp"
#include "tuner/run_clock.hpp"
#include "tuner/tuning_site.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace fastnorm::test {

/// A target with enough to search through. Every strategy's name and the times that it gives are
/// made up.
struct FakeTarget {
  ListedVariant steady{"steady", estimates()};
  ListedVariant other{"other", estimates()};
  ListedVariant atomic{"atomic", estimates()};
  FakeBackend backend{"fake", {&steady, &other, &atomic}, sample_host()};
  Candidate candidate{&backend, &backend.device_info()};

  FakeTarget() { atomic.repeatable = false; }

 private:
  static std::vector<double> estimates() { return std::vector<double>(20, 100.0); }
};

/// What both have in common: the database, and a time that their answers move.
class FakeSite : public tuner::TuningSite, public tuner::Evaluator {
 public:
  FakeSite(const FakeTarget& target, std::filesystem::path database)
      : target_(target), database_(std::move(database)) {}

  tuner::RunClock::Source clock_source() {
    return [this] { return now_; };
  }

  Evaluator& evaluator() override { return *this; }
  Status store(const std::vector<TuningEntry>& winners) override;
  Status restore(const std::vector<TuningEntry>& winners) override;
  Status verify(const tuner::Contender& contender) override {
    return verify(contender, tuner::Placement::beside);
  }
  Status verify_in_place(const tuner::Contender& contender) override {
    return verify(contender, tuner::Placement::in_place);
  }
  Status health() override { return {}; }

 protected:
  void spend(tuner::RunClock::Duration time) { now_ += time; }
  Result<std::vector<tuner::Contender>> known(const tuner::Job& job) const;

 private:
  virtual Status verify(const tuner::Contender& contender, tuner::Placement placement) = 0;
  TuningFile file_of(const std::vector<TuningEntry>& winners) const;

  const FakeTarget& target_;
  std::filesystem::path database_;
  std::chrono::steady_clock::time_point now_;
};

/// Another answer each time, as from a device with noise; some candidates are wrong.
class InventingSite final : public FakeSite {
 public:
  InventingSite(const FakeTarget& target, std::filesystem::path database, std::uint64_t seed)
      : FakeSite(target, std::move(database)), random_(seed) {}

  Result<tuner::CaseStart> begin(const tuner::Job& job) override;
  Result<std::vector<double>> time(const tuner::Contender& contender,
                                   const measure::SampleLimits& limits) override;

 private:
  Status verify(const tuner::Contender& contender, tuner::Placement placement) override;
  double uniform(double least, double most);

  std::mt19937_64 random_;
};

/// What a journal recorded, each answer once. A question to which there is no answer (any more)
/// ends the process.
class RecordedSite final : public FakeSite {
 public:
  static constexpr int unanswered = 77;  ///< The exit status then.

  /// Called before each answer, and before and after winners are stored.
  using Moment = std::function<void()>;

  /// `finished` are the answers that were given before.
  RecordedSite(const FakeTarget& target, std::filesystem::path database,
               const std::vector<tuner::JournalRecord>& recording,
               const std::vector<tuner::JournalRecord>& finished, Moment moment);

  Result<tuner::CaseStart> begin(const tuner::Job& job) override;
  Result<std::vector<double>> time(const tuner::Contender& contender,
                                   const measure::SampleLimits& limits) override;
  Status store(const std::vector<TuningEntry>& winners) override;

 private:
  Status verify(const tuner::Contender& contender, tuner::Placement placement) override;

  tuner::RecordedRun recording_;
  tuner::RecordedCase* current_ = nullptr;
  Moment moment_;
};

}  // namespace fastnorm::test
