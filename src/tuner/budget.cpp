// SPDX-License-Identifier: Apache-2.0
#include "tuner/budget.hpp"

#include "core/quoted.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace fastnorm::tuner {

Result<Budget> parse_budget(std::string_view text) {
  const auto refused = [&] {
    return Status(StatusCode::invalid_argument,
                  "budget is " + in_quotes(text) + "; it must be " + allowed_budgets);
  };
  Budget budget;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, budget.amount);
  if (error != std::errc{} || !std::isfinite(budget.amount) || budget.amount <= 0) return refused();
  const std::string_view unit(stopped, static_cast<std::size_t>(end - stopped));
  if (unit.empty()) {
    budget.unit = Budget::Unit::evaluations;
    constexpr double most = 1e9;
    const bool whole = budget.amount == std::floor(budget.amount) && budget.amount <= most;
    if (!whole) return refused();
    return budget;
  }
  if (unit == "m") budget.amount *= 60;
  if (unit == "h") budget.amount *= 3600;
  constexpr double most_seconds = 1e7;
  const bool known = unit == "s" || unit == "m" || unit == "h";
  if (!known || budget.amount > most_seconds) return refused();
  return budget;
}

std::string to_string(const Budget& budget) {
  if (budget.unit == Budget::Unit::unlimited) return "unlimited";
  char text[48];
  std::snprintf(text, sizeof text, "%.6g", budget.amount);
  if (budget.unit == Budget::Unit::seconds) return std::string(text) + "s";
  return std::string(text) + (budget.amount == 1 ? " evaluation" : " evaluations");
}

Allowance Allowance::seconds(double amount, const RunClock& clock) {
  Allowance allowance;
  allowance.clock_ = &clock;
  allowance.start_ = clock.spent_seconds();
  allowance.seconds_ = std::max(amount, 1e-3);
  return allowance;
}

Allowance Allowance::evaluations(std::size_t count) {
  Allowance allowance;
  allowance.evaluations_ = std::max<std::size_t>(count, 1);
  return allowance;
}

double Allowance::seconds_spent() const { return clock_->spent_seconds() - start_; }

bool Allowance::may_try_another(std::size_t evaluated) const {
  if (evaluations_ != 0 && evaluated >= evaluations_) return false;
  return clock_ == nullptr || seconds_spent() < search_share * seconds_;
}

bool Allowance::has_time() const { return clock_ == nullptr || seconds_spent() < seconds_; }

double Allowance::share_used(std::size_t evaluated) const {
  if (clock_ != nullptr) return std::min(seconds_spent() / seconds_, 1.0);
  if (evaluations_ == 0) return 0;
  const double tried = static_cast<double>(evaluated) / static_cast<double>(evaluations_);
  return search_share * std::min(tried, 1.0);
}

Ledger::Ledger(const Budget& budget, std::size_t cases, const RunClock& clock)
    : budget_(budget), cases_(cases), account_(std::make_shared<Account>()), clock_(clock) {}

Ledger::Ledger(const Ledger& whole, std::size_t devices, const RunClock& clock)
    : budget_(whole.budget_),
      cases_(whole.cases_),
      devices_(devices),
      account_(whole.account_),
      clock_(clock) {}

bool Ledger::exhausted() const {
  if (budget_.unit == Budget::Unit::unlimited) return false;
  if (budget_.unit == Budget::Unit::seconds) return clock_.spent_seconds() >= budget_.amount;
  const std::lock_guard lock(account_->mutex);
  return static_cast<double>(account_->evaluations - reserved_) >= budget_.amount;
}

Allowance Ledger::next_case() {
  const std::lock_guard lock(account_->mutex);
  const std::size_t left = cases_ > account_->begun ? cases_ - account_->begun : 1;
  ++account_->begun;
  if (budget_.unit == Budget::Unit::unlimited) return Allowance::unlimited();
  if (budget_.unit == Budget::Unit::seconds) {
    const auto rounds = static_cast<double>((left + devices_ - 1) / devices_);
    return Allowance::seconds((budget_.amount - clock_.spent_seconds()) / rounds, clock_);
  }
  // Nothing of it is spent where the case before was not tuned.
  account_->evaluations -= reserved_;
  const double share =
      (budget_.amount - static_cast<double>(account_->evaluations)) / static_cast<double>(left);
  reserved_ = static_cast<std::size_t>(std::max(share, 1.0));
  account_->evaluations += reserved_;
  return Allowance::evaluations(reserved_);
}

void Ledger::spend(std::size_t evaluations) {
  const std::lock_guard lock(account_->mutex);
  account_->evaluations += evaluations - std::exchange(reserved_, 0);
}

void Ledger::hand_on_case() {
  const std::lock_guard lock(account_->mutex);
  --account_->begun;
  account_->evaluations -= std::exchange(reserved_, 0);
}

std::size_t Ledger::begun() const {
  const std::lock_guard lock(account_->mutex);
  return account_->begun;
}

double Ledger::estimated_seconds_left(double share) const {
  const double elapsed = clock_.spent_seconds();
  const double most = budget_.unit == Budget::Unit::seconds
                          ? std::max(budget_.amount - elapsed, 0.0)
                          : std::numeric_limits<double>::infinity();
  const double done = static_cast<double>(begun()) - static_cast<double>(devices_) + share;
  if (done <= 0) return most;
  return std::clamp(elapsed / done * (static_cast<double>(cases_) - done), 0.0, most);
}

}  // namespace fastnorm::tuner
