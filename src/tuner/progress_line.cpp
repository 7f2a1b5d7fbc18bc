// SPDX-License-Identifier: Apache-2.0
#include "tuner/progress_line.hpp"

#include "core/quoted.hpp"
#include "core/utf8.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace fastnorm::tuner {
namespace {

double share_of_run(const RunProgress& progress) {
  if (progress.cases == 0) return 0;
  const double done = static_cast<double>(progress.seen) + share_done(progress.search);
  return std::min(done / static_cast<double>(progress.cases), 1.0);
}

std::string bar(double share) {
  constexpr std::size_t width = 20;
  const auto full = static_cast<std::size_t>(share * static_cast<double>(width));
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "] ";
}

std::string state(const SearchProgress& search) {
  if (search.total == 0) return "loading";
  if (search.phase == SearchPhase::final_round) return "final";
  return std::to_string(search.evaluated) + " of " + std::to_string(search.total) + " tried";
}

std::string best(const SearchProgress& search) {
  if (search.best_us == 0) return {};
  char text[64];
  std::snprintf(text, sizeof text, ", best %.1f us", search.best_us);
  std::string result = text;
  if (search.default_us > 0) {
    std::snprintf(text, sizeof text, " (%.2fx the default)", search.default_us / search.best_us);
    result += text;
  }
  return result;
}

}  // namespace

double share_done(const SearchProgress& search) {
  constexpr double trials = 0.8;
  if (search.total == 0) return 0;
  if (search.phase == SearchPhase::final_round) return trials;
  return trials * static_cast<double>(search.evaluated) / static_cast<double>(search.total);
}

std::string progress_line(const RunProgress& progress, std::size_t columns) {
  const double share = share_of_run(progress);
  std::string text = std::to_string(static_cast<int>(100 * share)) + "% " +
                     std::to_string(progress.seen + 1) + "/" + std::to_string(progress.cases) +
                     " " + shortened(progress.name, longest_name) + ": " + state(progress.search) +
                     best(progress.search);
  if (std::isfinite(progress.seconds_left)) {
    text += ", about " + duration_text(progress.seconds_left) + " left";
  }
  const std::string with_bar = bar(share) + text;
  if (count_code_points(with_bar) <= columns) return with_bar;
  return std::string(leading_code_points(text, columns));
}

std::string duration_text(double seconds) {
  char text[48];
  constexpr double few = 9.95;
  if (seconds < few) {
    std::snprintf(text, sizeof text, "%.1fs", seconds);
    return text;
  }
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) {
    std::snprintf(text, sizeof text, "%lds", whole);
  } else {
    std::snprintf(text, sizeof text, "%ldm%02lds", whole / 60, whole % 60);
  }
  return text;
}

}  // namespace fastnorm::tuner
