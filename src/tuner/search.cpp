// SPDX-License-Identifier: Apache-2.0
#include "tuner/search.hpp"

#include "tuner/race.hpp"
#include "tuner/trial_order.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

namespace fastnorm::tuner {
namespace {

/// Who is slower than that, beside the fastest, is not going to win.
constexpr double possible_winner = 1.1;

constexpr measure::SampleLimits first_look{3, 3, 0};
constexpr measure::SampleLimits second_look{4, 8, 0.02};

/// Finalists, however slow: the fastest may turn out to be wrong.
constexpr std::size_t finalists_wanted = 5;
constexpr std::size_t deterministic_finalists_wanted = 2;

/// Those that may win, and others only as far as the numbers above go. Who has tried everything
/// wants to know it exactly.
std::size_t most_finalists(SearchMethod method) {
  return method == SearchMethod::exhaustive ? 48 : 8;
}

/// A gain below this is not worth an entry, whatever the samples say.
constexpr double least_gain = 0.005;

/// After so many trials the fastest are timed anew: the clock may have drifted since.
constexpr std::size_t trials_between_refreshes = 32;

/// The fastest so far.
struct Leader {
  std::size_t index = 0;
  std::vector<double> samples;  ///< None before there is one.

  /// Becomes the other one if that is faster.
  void give_way(std::size_t other, const std::vector<double>& others) {
    const bool faster = samples.empty() || measure::median(others) < measure::median(samples);
    if (faster) *this = {other, others};
  }
};

/// A candidate that came through the search.
struct Entrant {
  std::size_t index;  ///< In the space.
  double median_us;
};

class Search {
 public:
  Search(const SearchSpace& space, Evaluator& evaluator, const SearchSettings& settings,
         const Allowance& allowance, const SearchControl& control)
      : space_(space),
        evaluator_(evaluator),
        settings_(settings),
        allowance_(allowance),
        control_(control),
        order_(make_trial_order(space, settings.method, settings.seed)) {}

  Result<Outcome> run() {
    if (Status status = try_all(); !status.ok()) return status;
    choose_finalists();
    tell(SearchPhase::final_round);
    if (Status status = measure_finalists(); !status.ok()) return status;

    Result<Choice> best = choose(Field::all, space_.default_index);
    if (!best.ok()) return best.status();
    outcome_.best = std::move(best).value();
    if (!outcome_.best.winner.contender.deterministic()) {
      best = choose(Field::deterministic, space_.deterministic_default_index);
      if (!best.ok()) return best.status();
      outcome_.best_deterministic = std::move(best).value();
    }
    return std::move(outcome_);
  }

 private:
  enum class Field { all, deterministic };

  bool is_default(std::size_t index) const {
    return index == space_.default_index || index == space_.deterministic_default_index;
  }

  /// Sets a candidate aside. A default that is wrong ends the search, and so does whatever keeps
  /// anything more from being evaluated.
  Status reject(std::size_t index, const Status& why) {
    const Contender& contender = space_.contenders[index];
    if (Status health = evaluator_.health(); !health.ok()) return health;
    if (is_default(index)) {
      return {why.code(), "the default, " + contender.text() + ": " + why.message()};
    }
    outcome_.rejected.push_back({contender, why.message()});
    return {};
  }

  Status try_all() {
    while (const std::optional<std::size_t> index = order_->next()) {
      if (control_.interrupted()) return {StatusCode::unavailable, "interrupted"};
      // The defaults are always tried: there is nothing to compare with otherwise.
      if (!is_default(*index) && !allowance_.may_try_another(outcome_.evaluated)) break;
      if (Status status = try_one(*index); !status.ok()) {
        if (Status ends = reject(*index, status); !ends.ok()) return ends;
      }
      ++outcome_.evaluated;
      tell(SearchPhase::trials);
      if (Status status = refresh_leaders(); !status.ok()) return status;
    }
    return {};
  }

  void tell(SearchPhase phase) const {
    SearchProgress progress{phase, outcome_.evaluated, space_.contenders.size()};
    progress.share_of_allowance = allowance_.share_used(outcome_.evaluated);
    for (const Entrant& entrant : entrants_) {
      const double us = entrant.median_us;
      if (progress.best_us == 0 || us < progress.best_us) progress.best_us = us;
      if (entrant.index == space_.default_index) progress.default_us = us;
    }
    control_.progress(progress);
  }

  Status try_one(std::size_t index) {
    const Contender& contender = space_.contenders[index];
    if (Status status = evaluator_.verify(contender); !status.ok()) return status;
    Result<std::vector<double>> timed = evaluator_.time(contender, first_look);
    if (!timed.ok()) return timed.status();
    std::vector<double> samples = std::move(timed).value();
    const std::vector<double>& rival =
        (contender.deterministic() ? deterministic_leader_ : leader_).samples;
    if (!is_default(index) && !rival.empty() && is_clear_loser(samples, rival)) {
      note(index, measure::median(std::move(samples)));
      return {};
    }
    timed = evaluator_.time(contender, second_look);
    if (!timed.ok()) return timed.status();
    samples.insert(samples.end(), timed.value().begin(), timed.value().end());
    const double median_us = measure::median(samples);
    // The fastest configuration may be one that goes wrong. Of others, the final finds out.
    if (rival.empty() || median_us < possible_winner * measure::median(rival)) {
      if (Status status = evaluator_.verify(contender); !status.ok()) return status;
    }
    note(index, median_us);
    if (contender.deterministic()) deterministic_leader_.give_way(index, samples);
    leader_.give_way(index, samples);
    return {};
  }

  Status refresh_leaders() {
    if (outcome_.evaluated % trials_between_refreshes != 0) return {};
    for (Leader* leader : {&leader_, &deterministic_leader_}) {
      if (leader->samples.empty()) continue;
      Result<std::vector<double>> timed =
          evaluator_.time(space_.contenders[leader->index], second_look);
      if (!timed.ok()) {
        if (Status ends = withdraw(leader->index, timed.status()); !ends.ok()) return ends;
        continue;
      }
      leader->samples = std::move(timed).value();
    }
    return {};
  }

  /// Sets a candidate aside that went well before. Who comes next leads.
  Status withdraw(std::size_t index, const Status& why) {
    if (Status ends = reject(index, why); !ends.ok()) return ends;
    entrants_.erase(
        std::remove_if(entrants_.begin(), entrants_.end(),
                       [index](const Entrant& entrant) { return entrant.index == index; }),
        entrants_.end());
    for (Leader* leader : {&leader_, &deterministic_leader_}) {
      if (leader->index == index) *leader = {};
    }
    return {};
  }

  void note(std::size_t index, double median_us) {
    order_->tell(index, median_us);
    entrants_.push_back({index, median_us});
  }

  void choose_finalists() {
    std::stable_sort(entrants_.begin(), entrants_.end(),
                     [](const Entrant& a, const Entrant& b) { return a.median_us < b.median_us; });
    std::size_t deterministic = 0;
    for (const Entrant& entrant : entrants_) {
      const bool repeats = space_.contenders[entrant.index].deterministic();
      const bool near = entrant.median_us < possible_winner * entrants_.front().median_us;
      const bool wanted = finalists_.size() < finalists_wanted ||
                          (near && finalists_.size() < most_finalists(settings_.method)) ||
                          (repeats && deterministic < deterministic_finalists_wanted) ||
                          is_default(entrant.index);
      if (!wanted) continue;
      finalists_.push_back({entrant.index, repeats, {}});
      if (repeats) ++deterministic;
    }
  }

  Status measure_finalists() {
    RaceTrack track;
    track.go_on = [this](std::size_t) { return allowance_.has_time(); };
    track.time = [this](std::size_t index) -> Result<std::vector<double>> {
      if (control_.interrupted()) return Status(StatusCode::unavailable, "interrupted");
      const Contender& contender = space_.contenders[index];
      Result<std::vector<double>> timed = evaluator_.time(contender, first_look);
      if (timed.ok()) return timed;
      return Status(timed.status().code(), "in the final: " + timed.status().message());
    };
    track.fail = [this](std::size_t index, const Status& why) -> Status {
      if (control_.interrupted()) return why;
      wrong_.insert(index);
      return reject(index, why);
    };
    if (Status status = race(finalists_, track, settings_.seed); !status.ok()) return status;
    const auto failed = [this](const Racer& finalist) { return wrong_.count(finalist.index) > 0; };
    finalists_.erase(std::remove_if(finalists_.begin(), finalists_.end(), failed),
                     finalists_.end());
    std::stable_sort(finalists_.begin(), finalists_.end(), [](const Racer& a, const Racer& b) {
      return std::tuple(a.out, measure::median(a.samples)) <
             std::tuple(b.out, measure::median(b.samples));
    });
    return {};
  }

  /// Once more, in place too.
  Status verify_at_last(const Racer& finalist) {
    const Contender& contender = space_.contenders[finalist.index];
    if (Status status = evaluator_.verify(contender); !status.ok()) return status;
    Status status = evaluator_.verify_in_place(contender);
    return status.ok() ? status : Status(status.code(), "in place: " + status.message());
  }

  /// Among equally fast ones, the less comes first.
  auto complexity(const Racer& finalist) const {
    const auto& [variant, config] = space_.contenders[finalist.index];
    return std::tuple(!finalist.deterministic, variant->needs_coresidency(config), finalist.index);
  }

  /// Which of the finalists that are left to choose from is to win: the simplest of those that are
  /// as fast as the fastest. Null where none beats the default. `left` begins with those that
  /// nothing has beaten, and goes from the fastest on.
  const Racer* most_deserving(const std::vector<const Racer*>& left, const Racer& standard) const {
    const Racer* fastest = nullptr;
    const Racer* simplest = nullptr;
    for (const Racer* finalist : left) {
      if (!beats(*finalist, standard)) continue;
      if (fastest == nullptr) fastest = simplest = finalist;
      const bool as_fast = !is_faster(samples_beside(*fastest, *finalist),
                                      samples_beside(*finalist, *fastest), Confidence::usual);
      if (as_fast && complexity(*finalist) < complexity(*simplest)) simplest = finalist;
    }
    return simplest;
  }

  static bool beats(const Racer& finalist, const Racer& standard) {
    const std::vector<double> samples = samples_beside(finalist, standard);
    const std::vector<double> standards = samples_beside(standard, finalist);
    return is_faster(samples, standards, Confidence::usual) &&
           measure::median(samples) < (1 - least_gain) * measure::median(standards);
  }

  /// The most deserving finalist that stands the last verification; else the default.
  Result<Choice> choose(Field field, std::size_t default_index) {
    const Racer& standard =
        *std::find_if(finalists_.begin(), finalists_.end(),
                      [&](const Racer& finalist) { return finalist.index == default_index; });
    if (Status status = verify_at_last(standard); !status.ok()) {
      return reject(standard.index, status);
    }
    std::vector<const Racer*> left;
    for (const Racer& finalist : finalists_) {
      const bool eligible = field == Field::all || finalist.deterministic;
      if (eligible && wrong_.count(finalist.index) == 0) left.push_back(&finalist);
    }
    while (const Racer* winner = most_deserving(left, standard)) {
      Status status = verify_at_last(*winner);
      if (status.ok()) return Choice{measured(*winner), measured(standard)};
      wrong_.insert(winner->index);
      left.erase(std::find(left.begin(), left.end(), winner));
      if (Status ends = reject(winner->index, status); !ends.ok()) return ends;
    }
    return Choice{measured(standard), measured(standard)};
  }

  Measured measured(const Racer& finalist) const {
    return {space_.contenders[finalist.index], measure::summarize(finalist.samples)};
  }

  const SearchSpace& space_;
  Evaluator& evaluator_;
  const SearchSettings settings_;
  const Allowance& allowance_;
  const SearchControl& control_;
  std::unique_ptr<TrialOrder> order_;
  Leader leader_;
  Leader deterministic_leader_;  ///< Of those whose results repeat.
  std::vector<Entrant> entrants_;
  std::vector<Racer> finalists_;
  std::set<std::size_t> wrong_;  ///< Finalists that failed in the final.
  Outcome outcome_;
};

}  // namespace

Result<Outcome> search(const SearchSpace& space, Evaluator& evaluator,
                       const SearchSettings& settings, const Allowance& allowance,
                       const SearchControl& control) {
  return Search(space, evaluator, settings, allowance, control).run();
}

}  // namespace fastnorm::tuner
