// SPDX-License-Identifier: Apache-2.0
#include "tuner/report.hpp"

#include "core/counted.hpp"
#include "core/quoted.hpp"
#include "core/utf8.hpp"
#include "tuner/complain.hpp"
#include "tuner/exit_status.hpp"
#include "tuner/progress_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace fastnorm::tuner {
namespace {

constexpr int name_width = 30;
constexpr int choice_width = 64;

/// Where standard output is a terminal of unknown width, what all have.
std::size_t terminal_columns() {
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  constexpr std::size_t usual = 80;
  return known ? size.ws_col : usual;
}

/// Of one pass over several cases.
std::string time_text(double us) {
  char text[32];
  std::snprintf(text, sizeof text, us < 1e4 ? "%.1f us" : "%.2f ms", us < 1e4 ? us : us * 1e-3);
  return text;
}

/// As wide as a column, in characters; printf() counts bytes.
std::string padded(std::string text, std::size_t width) {
  const std::size_t wide = count_code_points(text);
  return wide < width ? text.append(width - wide, ' ') : text;
}

void print_choice(const std::string& name, const Choice& choice, double copy_us) {
  const double time_us = choice.winner.time.median_us;
  const double default_us = choice.default_choice.time.median_us;
  std::printf("%s %-*s %10.1f %10.1f %7.2fx %7.2f\n", padded(name, name_width).c_str(),
              choice_width, choice.winner.contender.text().c_str(), time_us, default_us,
              default_us / time_us, copy_us / time_us);
}

void print_rejections(const std::vector<Rejection>& rejected) {
  constexpr std::size_t shown = 3;
  for (std::size_t i = 0; i < std::min(shown, rejected.size()); ++i) {
    std::printf("  rejected: %s: %s\n", rejected[i].contender.text().c_str(),
                rejected[i].reason.c_str());
  }
  if (rejected.size() > shown) {
    std::printf("  rejected: %s\n",
                counted(rejected.size() - shown, "more candidate", "more candidates").c_str());
  }
}

}  // namespace

Report::Report() : terminal_(isatty(STDOUT_FILENO) == 1) {}

void Report::begin_target(const Candidate& target, std::size_t devices, const Budget& budget,
                          std::size_t cases) {
  const std::lock_guard lock(mutex_);
  clear_progress();
  cases_ = cases;
  seen_ = 0;
  const std::string count = devices > 1 ? std::to_string(devices) + " x " : "";
  std::printf("Tuning %s on %s%s, budget %s\n", std::string(target.backend->name()).c_str(),
              count.c_str(), target.device->name.c_str(), to_string(budget).c_str());
  std::printf("%-*s %-*s %10s %10s %8s %7s\n", name_width, "case", choice_width, "winner", "us",
              "default us", "speed-up", "of copy");
  std::fflush(stdout);
}

void Report::show_progress(const std::string& name, const SearchProgress& search,
                           double seconds_left) {
  if (!terminal_) return;
  progress_shown_at_ = std::chrono::steady_clock::now();
  const RunProgress progress{cases_, seen_, name, search, seconds_left};
  std::printf("\r%s\x1b[K", progress_line(progress, terminal_columns() - 1).c_str());
  std::fflush(stdout);
  progress_shown_ = true;
}

void Report::loading(const std::string& name, double seconds_left) {
  const std::lock_guard lock(mutex_);
  show_progress(name, {}, seconds_left);
}

void Report::progress(const std::string& name, const SearchProgress& progress,
                      double seconds_left) {
  const std::lock_guard lock(mutex_);
  // Trials may take less than a millisecond; nobody reads faster than this.
  constexpr std::chrono::milliseconds between{50};
  const bool recent = std::chrono::steady_clock::now() - progress_shown_at_ < between;
  if (recent && progress.phase == SearchPhase::trials) return;
  show_progress(name, progress, seconds_left);
}

void Report::clear_progress() {
  if (progress_shown_) std::printf("\r\x1b[K");
  progress_shown_ = false;
}

void Report::tuned(const std::string& name, const Outcome& outcome, double copy_us) {
  const std::lock_guard lock(mutex_);
  clear_progress();
  ++seen_;
  gains_.push_back(
      {name, outcome.best.winner.time.median_us, outcome.best.default_choice.time.median_us});
  print_choice(shortened(name, longest_name), outcome.best, copy_us);
  if (outcome.best_deterministic) {
    print_choice("  deterministic", *outcome.best_deterministic, copy_us);
  }
  print_rejections(outcome.rejected);
  rejected_ += outcome.rejected.size();
  std::fflush(stdout);
}

void Report::skipped(const std::string& name, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  ++seen_;
  skipped_.add(name, reason);
}

void Report::failed(const std::string& name, const Status& why) {
  const std::lock_guard lock(mutex_);
  clear_progress();
  ++seen_;
  ++failed_;
  complain(shortened(name, longest_name) + ": " + why.message(), exit_failed);
}

void Report::note(const std::string& text) {
  const std::lock_guard lock(mutex_);
  clear_progress();
  std::printf("%s\n", escaped(text).c_str());
  std::fflush(stdout);
}

void Report::spent(const TimeSpent& time) {
  const std::lock_guard lock(mutex_);
  time_.loading += time.loading;
  time_.verifying += time.verifying;
  time_.timing += time.timing;
  time_.finals += time.finals;
}

double Report::mean_gain() const {
  double logarithms = 0;
  for (const Gain& gain : gains_) logarithms += std::log(gain.factor());
  return std::exp(logarithms / static_cast<double>(gains_.size()));
}

void Report::print_gains() const {
  double tuned_us = 0;
  double default_us = 0;
  std::size_t faster = 0;
  const Gain* largest = nullptr;
  for (const Gain& gain : gains_) {
    tuned_us += gain.tuned_us;
    default_us += gain.default_us;
    if (gain.factor() > 1) ++faster;
    if (largest == nullptr || gain.factor() > largest->factor()) largest = &gain;
  }
  if (faster == 0) return;
  std::printf("%zu faster than the default, the most %s: %.2fx; all once take %s instead of %s\n",
              faster, shortened(largest->name, longest_name).c_str(), largest->factor(),
              time_text(tuned_us).c_str(), time_text(default_us).c_str());
}

void Report::print_time_spent() const {
  const double total = time_.loading + time_.verifying + time_.timing + time_.finals;
  if (total <= 0) return;
  std::printf("spent %s: loading %s, verifying %s, timing %s, finals %s\n",
              duration_text(total).c_str(), duration_text(time_.loading).c_str(),
              duration_text(time_.verifying).c_str(), duration_text(time_.timing).c_str(),
              duration_text(time_.finals).c_str());
}

void Report::finish(const std::vector<std::string>& files) {
  const std::lock_guard lock(mutex_);
  clear_progress();
  std::printf("\n%zu tuned", gains_.size());
  if (!gains_.empty()) {
    std::printf(", %.3fx the default's speed in the geometric mean", mean_gain());
  }
  if (failed_ > 0) std::printf(", %zu failed", failed_);
  if (rejected_ > 0) {
    std::printf(", %s rejected", counted(rejected_, "candidate", "candidates").c_str());
  }
  std::printf("\n");
  print_gains();
  print_time_spent();
  std::fputs(skipped_.text("skipped").c_str(), stdout);
  for (const std::string& file : files) std::printf("winners are in %s\n", escaped(file).c_str());
  std::fflush(stdout);
}

}  // namespace fastnorm::tuner
