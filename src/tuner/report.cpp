#include "tuner/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace fastnorm::tuner {
namespace {

constexpr int name_width = 30;
constexpr int choice_width = 64;

std::string duration(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  char text[48];
  if (whole < 60) {
    std::snprintf(text, sizeof text, "%lds", whole);
  } else {
    std::snprintf(text, sizeof text, "%ldm%02lds", whole / 60, whole % 60);
  }
  return text;
}

double geometric_mean(const std::vector<double>& values) {
  double logarithms = 0;
  for (const double value : values) logarithms += std::log(value);
  return std::exp(logarithms / static_cast<double>(values.size()));
}

void print_choice(const char* name, const Choice& choice, double copy_us) {
  const double time_us = choice.winner.time.median_us;
  const double default_us = choice.default_choice.time.median_us;
  std::printf("%-*s %-*s %10.1f %10.1f %7.2fx %7.2f\n", name_width, name, choice_width,
              choice.winner.contender.text().c_str(), time_us, default_us, default_us / time_us,
              copy_us / time_us);
}

void print_rejections(const std::vector<Rejection>& rejected) {
  constexpr std::size_t shown = 3;
  for (std::size_t i = 0; i < std::min(shown, rejected.size()); ++i) {
    std::printf("  rejected: %s: %s\n", rejected[i].contender.text().c_str(),
                rejected[i].reason.c_str());
  }
  if (rejected.size() > shown) {
    std::printf("  rejected: %zu more candidates\n", rejected.size() - shown);
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

void Report::show_progress(const std::string& name, const std::string& state, double seconds_left) {
  if (!terminal_) return;
  std::printf("\r[%zu/%zu] %s: %s", seen_ + 1, cases_, name.c_str(), state.c_str());
  if (std::isfinite(seconds_left)) std::printf(", about %s left", duration(seconds_left).c_str());
  std::printf("\x1b[K");
  std::fflush(stdout);
  progress_shown_ = true;
}

void Report::loading(const std::string& name, double seconds_left) {
  const std::lock_guard lock(mutex_);
  show_progress(name, "loading", seconds_left);
}

void Report::progress(const std::string& name, std::size_t evaluated, std::size_t total,
                      double seconds_left) {
  const std::lock_guard lock(mutex_);
  show_progress(name, std::to_string(evaluated) + " of " + std::to_string(total) + " candidates",
                seconds_left);
}

void Report::clear_progress() {
  if (progress_shown_) std::printf("\r\x1b[K");
  progress_shown_ = false;
}

void Report::tuned(const std::string& name, const Outcome& outcome, double copy_us) {
  const std::lock_guard lock(mutex_);
  clear_progress();
  ++seen_;
  speedups_.push_back(outcome.best.default_choice.time.median_us /
                      outcome.best.winner.time.median_us);
  print_choice(name.c_str(), outcome.best, copy_us);
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
  std::vector<std::string>& names = skipped_[reason];
  if (names.empty()) skip_reasons_.push_back(reason);
  names.push_back(name);
}

void Report::failed(const std::string& name, const Status& why) {
  const std::lock_guard lock(mutex_);
  clear_progress();
  ++seen_;
  ++failed_;
  std::fflush(stdout);
  std::fprintf(stderr, "autotune: %s: %s\n", name.c_str(), why.message().c_str());
}

void Report::note(const std::string& text) {
  const std::lock_guard lock(mutex_);
  clear_progress();
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

void Report::finish(const std::vector<std::string>& files) {
  const std::lock_guard lock(mutex_);
  clear_progress();
  std::printf("\n%zu tuned", speedups_.size());
  if (!speedups_.empty()) {
    std::printf(", %.3fx the default's speed in the geometric mean", geometric_mean(speedups_));
  }
  if (failed_ > 0) std::printf(", %zu failed", failed_);
  if (rejected_ > 0) std::printf(", %zu candidates rejected", rejected_);
  std::printf("\n");
  for (const std::string& reason : skip_reasons_) {
    constexpr std::size_t shown = 4;
    const std::vector<std::string>& names = skipped_[reason];
    std::string list;
    for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) {
      list += (i == 0 ? "" : ", ") + names[i];
    }
    if (names.size() > shown) list += " and " + std::to_string(names.size() - shown) + " more";
    std::printf("%zu skipped, %s: %s\n", names.size(), reason.c_str(), list.c_str());
  }
  for (const std::string& file : files) std::printf("winners are in %s\n", file.c_str());
  std::fflush(stdout);
}

}  // namespace fastnorm::tuner
