// SPDX-License-Identifier: Apache-2.0
/// What a journal says: one line a record (record_text.hpp).
#pragma once

#include "core/disturbances.hpp"
#include "measure/samples.hpp"
#include "tuner/record_text.hpp"
#include "tuner/run_clock.hpp"

#include <fastnorm/status.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fastnorm::tuner {

/// One of the run's cases on one of its targets, by their places in the run.
struct TuningNumber {
  std::size_t target = 0;
  std::size_t job = 0;

  friend bool operator<(const TuningNumber& a, const TuningNumber& b) {
    return a.target != b.target ? a.target < b.target : a.job < b.job;
  }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.target);
    visit(self.job);
  }
};

/// The first record of a journal.
struct RunBegun {
  std::string utc;       ///< Date.
  std::string identity;  ///< What runs must agree in to share a journal.

  static constexpr const char* kind = "run";
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.utc);
    visit(self.identity);
  }
};

/// The case's data and its copy ceiling are there; `known` is what the database proposed.
struct CaseBegun {
  TuningNumber tuning;
  RunClock::Duration took{0};
  double copy_us = 0;
  double copy_mad_us = 0;
  std::vector<std::string> known;  ///< Contenders as text.

  static constexpr const char* kind = "case";
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.tuning);
    visit(self.took);
    visit(self.copy_us);
    visit(self.copy_mad_us);
    visit(self.known);
  }
};

enum class Placement { beside, in_place };
constexpr std::array<const char*, 2> enum_names(Placement) { return {"beside", "in_place"}; }

struct Verified {
  TuningNumber tuning;
  RunClock::Duration took{0};
  std::string contender;
  Placement placement = Placement::beside;
  Status status;

  static constexpr const char* kind = "verified";
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.tuning);
    visit(self.took);
    visit(self.contender);
    visit(self.placement);
    visit(self.status);
  }
};

struct Timed {
  TuningNumber tuning;
  RunClock::Duration took{0};
  std::string contender;
  measure::SampleLimits limits;
  Status status;
  Disturbances disturbances;
  std::vector<double> samples_us;  ///< Empty where it failed.

  static constexpr const char* kind = "timed";
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.tuning);
    visit(self.took);
    visit(self.contender);
    visit(self.limits.at_least);
    visit(self.limits.at_most);
    visit(self.limits.seconds);
    visit(self.status);
    visit(self.disturbances);
    visit(self.samples_us);
  }
};

/// The case's winners are in the database.
struct WinnersStored {
  TuningNumber tuning;

  static constexpr const char* kind = "stored";
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.tuning);
  }
};

using JournalRecord = std::variant<RunBegun, CaseBegun, Verified, Timed, WinnersStored>;

/// With its newline.
std::string to_line(const JournalRecord& record);

/// Without its newline. Nothing where the line is not one that to_line() has written.
std::optional<JournalRecord> parse_line(std::string_view line);

}  // namespace fastnorm::tuner
