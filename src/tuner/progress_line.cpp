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

/// What a line leaves out, each with those before it.
enum class LeftOut { nothing, bar, counts, comparison_words, comparison };

constexpr LeftOut all_left_out[] = {LeftOut::nothing, LeftOut::bar, LeftOut::counts,
                                    LeftOut::comparison_words, LeftOut::comparison};

std::string state(const SearchProgress& search, LeftOut left_out) {
  if (search.total == 0) return "loading";
  if (search.phase == SearchPhase::final_round) return "final";
  if (left_out >= LeftOut::counts) return {};
  return std::to_string(search.evaluated) + " of " + std::to_string(search.total) + " tried";
}

std::string comparison(const SearchProgress& search, LeftOut left_out) {
  if (search.default_us <= 0 || left_out >= LeftOut::comparison) return {};
  char text[32];
  std::snprintf(text, sizeof text, " (%.2fx", search.default_us / search.best_us);
  return text + std::string(left_out >= LeftOut::comparison_words ? ")" : " the default)");
}

std::string best(const SearchProgress& search, LeftOut left_out) {
  if (search.best_us == 0) return {};
  char text[32];
  std::snprintf(text, sizeof text, "best %.1f us", search.best_us);
  return text + comparison(search, left_out);
}

std::string time_left(double seconds) {
  return std::isfinite(seconds) ? "about " + duration_text(seconds) + " left" : "";
}

std::string line(const RunProgress& progress, const std::string& name, LeftOut left_out) {
  const double share = share_of_run(progress);
  std::string text = left_out >= LeftOut::bar ? "" : bar(share);
  text += std::to_string(static_cast<int>(100 * share)) + "% " + std::to_string(progress.seen + 1) +
          "/" + std::to_string(progress.cases);
  if (!name.empty()) text += " " + name;
  const char* before = ": ";
  for (const std::string& part : {state(progress.search, left_out), best(progress.search, left_out),
                                  time_left(progress.seconds_left)}) {
    if (part.empty()) continue;
    text += before + part;
    before = ", ";
  }
  return text;
}

/// The name in as many columns, which are too few for all of it. Empty where nothing can be read.
std::string name_within(const std::string& name, std::size_t columns) {
  constexpr std::size_t dots = 3;
  return columns > dots ? shortened(name, columns - dots) : "";
}

}  // namespace

double share_done(const SearchProgress& search) {
  if (search.total == 0) return 0;
  const double tried =
      search.phase == SearchPhase::final_round
          ? 1
          : static_cast<double>(search.evaluated) / static_cast<double>(search.total);
  return std::max(search_share * tried, search.share_of_allowance);
}

std::string progress_line(const RunProgress& progress, std::size_t columns) {
  const std::string name = shortened(progress.name, longest_name);
  for (const LeftOut left_out : all_left_out) {
    std::string text = line(progress, name, left_out);
    if (count_code_points(text) <= columns) return text;
  }
  const std::string nameless = line(progress, "", LeftOut::comparison);
  const std::size_t others = count_code_points(nameless) + 1;  // with the space before the name
  const std::string front = columns > others ? name_within(progress.name, columns - others) : "";
  return std::string(leading_code_points(line(progress, front, LeftOut::comparison), columns));
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
