/// How much a tuning run may take, and how it is shared out over the cases.
#pragma once

#include "tuner/run_clock.hpp"

#include <fastnorm/status.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace fastnorm::tuner {

struct Budget {
  enum class Unit { seconds, evaluations };
  Unit unit = Unit::seconds;
  double amount = 450;  ///< Tunes all the shipped cases of one back end on a fast GPU.
};

/// "60s", "2m", "1h", or a number of evaluations: "200".
Result<Budget> parse_budget(std::string_view text);

std::string to_string(const Budget& budget);

/// What one case may use.
class Allowance {
 public:
  /// From now on; `clock` has to outlive the object.
  static Allowance seconds(double amount, const RunClock& clock);
  static Allowance evaluations(std::size_t count);

  /// Whether another candidate may be tried after this many. Part of the time is kept for measuring
  /// the finalists.
  bool may_try_another(std::size_t evaluated) const;

  /// Whether the finalists may be measured once more.
  bool has_time() const;

 private:
  double seconds_spent() const;

  const RunClock* clock_ = nullptr;  ///< Null: no limit of time.
  double start_ = 0;
  double seconds_ = 0;
  std::size_t evaluations_ = 0;  ///< 0: no limit.
};

/// Deals the budget out. What a case leaves over is the others'.
class Ledger {
 public:
  /// `clock` has to outlive the object.
  Ledger(const Budget& budget, std::size_t cases, const RunClock& clock);

  /// Whether nothing is left for another case.
  bool exhausted() const;

  /// An equal share of what is left for each case to come.
  Allowance next_case();

  void spend(std::size_t evaluations);

  /// Until the end of the run, `share` of the current case being done: as it went so far, and never
  /// more than the budget.
  double estimated_seconds_left(double share) const;

 private:
  Budget budget_;
  std::size_t cases_;
  std::size_t begun_ = 0;
  std::size_t evaluations_ = 0;
  const RunClock& clock_;
};

}  // namespace fastnorm::tuner
