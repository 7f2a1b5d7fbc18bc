/// What a tuning run prints: results on standard output, failures on standard error.
#pragma once

#include "core/dispatcher.hpp"
#include "measure/cases.hpp"
#include "tuner/budget.hpp"
#include "tuner/search.hpp"

#include <cstddef>
#include <map>
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
  void progress(const std::string& name, std::size_t evaluated, std::size_t total,
                double seconds_left);
  void tuned(const std::string& name, const Outcome& outcome, double copy_us);
  void skipped(const std::string& name, const std::string& reason);
  void failed(const std::string& name, const Status& why);
  void note(const std::string& text);

  /// Cases, gain, skipped ones by reason, where the winners are.
  void finish(const std::vector<std::string>& files);

  std::size_t tuned_cases() const noexcept { return speedups_.size(); }
  std::size_t failed_cases() const noexcept { return failed_; }

 private:
  void show_progress(const std::string& name, const std::string& state, double seconds_left);
  void clear_progress();

  std::mutex mutex_;
  std::size_t cases_ = 0;  ///< Of this target.
  std::size_t seen_ = 0;   ///< Of these.
  std::size_t failed_ = 0;
  std::size_t rejected_ = 0;
  bool terminal_;
  bool progress_shown_ = false;
  std::vector<double> speedups_;
  std::vector<std::string> skip_reasons_;  ///< In the order in which they first came up.
  std::map<std::string, std::vector<std::string>> skipped_;  ///< Names by reason.
};

}  // namespace fastnorm::tuner
