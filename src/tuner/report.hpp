// SPDX-License-Identifier: Apache-2.0
/// What a tuning run prints: results on standard output, failures on standard error.
#pragma once

#include "core/dispatcher.hpp"
#include "measure/cases.hpp"
#include "tuner/budget.hpp"
#include "tuner/left_out.hpp"
#include "tuner/observed_evaluator.hpp"
#include "tuner/search.hpp"

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace fastnorm::tuner {

/// Safe from several threads.
class Report {
 public:
  /// Progress is shown on a terminal only.
  Report();

  /// The target, on so many devices like its own.
  void begin_target(const Candidate& target, std::size_t devices, const Budget& budget,
                    std::size_t cases);
  void loading(const std::string& name, double seconds_left);
  void progress(const std::string& name, const SearchProgress& progress, double seconds_left);
  void tuned(const std::string& name, const Outcome& outcome, double copy_us);
  void skipped(const std::string& name, const std::string& reason);
  void failed(const std::string& name, const Status& why);
  void note(const std::string& text);

  /// What the run on a target has spent; finish() prints the sum.
  void spent(const TimeSpent& time);

  /// Cases, what was gained, where the time went, skipped ones by reason, where the winners are.
  void finish(const std::vector<std::string>& files);

  std::size_t tuned_cases() const noexcept { return gains_.size(); }
  std::size_t failed_cases() const noexcept { return failed_; }

 private:
  /// A case with its winner's time and the default's.
  struct Gain {
    std::string name;
    double tuned_us;
    double default_us;

    double factor() const noexcept { return default_us / tuned_us; }
  };

  void show_progress(const std::string& name, const SearchProgress& search, double seconds_left);
  void clear_progress();
  double mean_gain() const;
  void print_gains() const;
  void print_time_spent() const;

  std::mutex mutex_;
  std::size_t cases_ = 0;  ///< Of this target.
  std::size_t seen_ = 0;   ///< Of these.
  std::size_t failed_ = 0;
  std::size_t rejected_ = 0;
  bool terminal_;
  bool progress_shown_ = false;
  std::chrono::steady_clock::time_point progress_shown_at_;
  std::vector<Gain> gains_;
  TimeSpent time_;
  LeftOut skipped_;
};

}  // namespace fastnorm::tuner
