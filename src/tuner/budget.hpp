// SPDX-License-Identifier: Apache-2.0
/// How much a tuning run may take, and how it is shared out over the cases.
#pragma once

#include "tuner/run_clock.hpp"

#include <fastnorm/status.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace fastnorm::tuner {

struct Budget {
  enum class Unit { seconds, evaluations, unlimited };
  Unit unit = Unit::seconds;
  double amount = 450;  ///< Tunes all the shipped cases of one back end on a fast GPU.

  static Budget unlimited() { return {Unit::unlimited, 0}; }
};

/// Of a case, for trying candidates; the rest is for measuring the finalists.
inline constexpr double search_share = 0.8;

inline constexpr const char* allowed_budgets =
    "a time (60s, 2m, 1h) up to 10000000s or a number of evaluations (200) up to 1000000000";

/// One of the allowed_budgets.
Result<Budget> parse_budget(std::string_view text);

std::string to_string(const Budget& budget);

/// What one case may use.
class Allowance {
 public:
  /// From now on; `clock` has to outlive the object.
  static Allowance seconds(double amount, const RunClock& clock);
  static Allowance evaluations(std::size_t count);
  static Allowance unlimited() { return {}; }

  /// Whether another candidate may be tried after this many. Part of the time is kept for measuring
  /// the finalists.
  bool may_try_another(std::size_t evaluated) const;

  /// Whether the finalists may be measured once more.
  bool has_time() const;

  /// Of the case, in [0, 1], by what is used of the allowance after so many candidates: its time,
  /// or its evaluations, which are all for the trials. 0 where there is no limit.
  double share_used(std::size_t evaluated) const;

 private:
  double seconds_spent() const;

  const RunClock* clock_ = nullptr;  ///< Null: no limit of time.
  double start_ = 0;
  double seconds_ = 0;
  std::size_t evaluations_ = 0;  ///< 0: no limit.
};

/// Deals the budget out. What a case leaves over is the others'. Devices that work side by side
/// have a ledger each, with the same account: a budget of time is all of theirs at once, one of
/// evaluations is shared.
class Ledger {
 public:
  /// `clock` has to outlive the object.
  Ledger(const Budget& budget, std::size_t cases, const RunClock& clock);

  /// That of one of so many devices, by its own clock. Safe beside the others.
  Ledger(const Ledger& whole, std::size_t devices, const RunClock& clock);

  /// Whether nothing is left for another case.
  bool exhausted() const;

  /// An equal share of what is left for each case to come; of time, for each that a device still
  /// has before it.
  Allowance next_case();

  void spend(std::size_t evaluations);

  /// The case is another device's to come.
  void hand_on_case();

  const RunClock& clock() const noexcept { return clock_; }

  /// Until the end of the run, `share` of the current case being done: as it went so far, and never
  /// more than the budget.
  double estimated_seconds_left(double share) const;

 private:
  struct Account {
    std::mutex mutex;
    std::size_t begun = 0;
    std::size_t evaluations = 0;  ///< Spent, or given to cases under way.
  };

  std::size_t begun() const;

  Budget budget_;
  std::size_t cases_;
  std::size_t devices_ = 1;
  std::shared_ptr<Account> account_;
  std::size_t reserved_ = 0;  ///< Of the account's evaluations, for this ledger's case.
  const RunClock& clock_;
};

}  // namespace fastnorm::tuner
