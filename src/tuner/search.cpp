#include "tuner/search.hpp"

#include "tuner/trial_order.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace fastnorm::tuner {
namespace {

/// The fastest of a few samples is this much slower than the best median so far: no noise explains
/// it.
constexpr double clear_loser = 1.25;

/// What is slower than that has others before it in the final.
constexpr double possible_winner = 1.1;

constexpr measure::SampleLimits first_look{3, 3, 0};
constexpr measure::SampleLimits second_look{4, 8, 0.02};

constexpr std::size_t finalists_wanted = 5;
constexpr std::size_t deterministic_finalists_wanted = 2;

/// Rounds of the final: as many as there is time for within these bounds.
constexpr std::size_t least_rounds = 3;
constexpr std::size_t most_rounds = 9;

/// A candidate that came through the search.
struct Entrant {
  std::size_t index;  ///< In the space.
  double median_us;
};

/// A finalist with the samples of the final.
struct Finalist {
  std::size_t index;
  std::vector<double> samples;
  std::vector<double> round_medians;
  bool wrong = false;

  double median_us() const { return measure::median(samples); }
};

/// A gain below this is not worth an entry, whatever the samples say.
constexpr double least_gain = 0.005;

/// Whether `a` is faster than `b` beyond noise: its median by more than the samples of either
/// scatter about theirs, and in three of four rounds, each compared with its neighbour in time.
bool beats(const Finalist& a, const Finalist& b) {
  const measure::Summary of_a = measure::summarize(a.samples);
  const measure::Summary of_b = measure::summarize(b.samples);
  const double noise = std::max({of_a.mad_us, of_b.mad_us, least_gain * of_b.median_us});
  std::size_t won = 0;
  for (std::size_t round = 0; round < a.round_medians.size(); ++round) {
    if (a.round_medians[round] < b.round_medians[round]) ++won;
  }
  return of_b.median_us - of_a.median_us > noise && 4 * won >= 3 * a.round_medians.size();
}

class Search {
 public:
  Search(const SearchSpace& space, Evaluator& evaluator, const Allowance& allowance,
         const SearchControl& control)
      : space_(space),
        evaluator_(evaluator),
        allowance_(allowance),
        control_(control),
        order_(space.contenders) {}

  Result<Outcome> run() {
    if (Status status = try_all(); !status.ok()) return status;
    choose_finalists();
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
    while (const std::optional<std::size_t> index = order_.next()) {
      if (control_.interrupted()) return {StatusCode::unavailable, "interrupted"};
      // The defaults are always tried: there is nothing to compare with otherwise.
      if (!is_default(*index) && !allowance_.may_try_another(outcome_.evaluated)) break;
      if (Status status = try_one(*index); !status.ok()) {
        if (Status ends = reject(*index, status); !ends.ok()) return ends;
      }
      ++outcome_.evaluated;
      control_.progress(outcome_.evaluated, space_.contenders.size());
    }
    return {};
  }

  Status try_one(std::size_t index) {
    const Contender& contender = space_.contenders[index];
    if (Status status = evaluator_.verify(contender); !status.ok()) return status;
    Result<std::vector<double>> timed = evaluator_.time(contender, first_look);
    if (!timed.ok()) return timed.status();
    std::vector<double> samples = std::move(timed).value();
    const double fastest = *std::min_element(samples.begin(), samples.end());
    if (!is_default(index) && fastest > clear_loser * best_us_) return {};
    timed = evaluator_.time(contender, second_look);
    if (!timed.ok()) return timed.status();
    samples.insert(samples.end(), timed.value().begin(), timed.value().end());
    const double median_us = measure::median(std::move(samples));
    // The fastest configuration may be one that goes wrong. Of others, the final finds out.
    if (median_us < possible_winner * best_us_) {
      if (Status status = evaluator_.verify(contender); !status.ok()) return status;
    }
    entrants_.push_back({index, median_us});
    if (median_us < best_us_) {
      best_us_ = median_us;
      order_.lead(index);
    }
    return {};
  }

  void choose_finalists() {
    std::stable_sort(entrants_.begin(), entrants_.end(),
                     [](const Entrant& a, const Entrant& b) { return a.median_us < b.median_us; });
    std::size_t deterministic = 0;
    for (const Entrant& entrant : entrants_) {
      const bool repeats = space_.contenders[entrant.index].deterministic();
      const bool wanted = finalists_.size() < finalists_wanted ||
                          (repeats && deterministic < deterministic_finalists_wanted) ||
                          is_default(entrant.index);
      if (!wanted) continue;
      finalists_.push_back({entrant.index, {}, {}, false});
      if (repeats) ++deterministic;
    }
  }

  Status measure_finalists() {
    for (std::size_t round = 0; round < most_rounds; ++round) {
      if (round >= least_rounds && !allowance_.has_time()) break;
      for (Finalist& finalist : finalists_) {
        if (control_.interrupted()) return {StatusCode::unavailable, "interrupted"};
        const Contender& contender = space_.contenders[finalist.index];
        const Result<std::vector<double>> timed = evaluator_.time(contender, first_look);
        if (!timed.ok()) {
          return {timed.status().code(),
                  "timing " + contender.text() + " once more: " + timed.status().message()};
        }
        const std::vector<double>& samples = timed.value();
        finalist.samples.insert(finalist.samples.end(), samples.begin(), samples.end());
        finalist.round_medians.push_back(measure::median(samples));
      }
    }
    std::stable_sort(
        finalists_.begin(), finalists_.end(),
        [](const Finalist& a, const Finalist& b) { return a.median_us() < b.median_us(); });
    return {};
  }

  /// Once more, in place too.
  Status verify_at_last(const Finalist& finalist) {
    const Contender& contender = space_.contenders[finalist.index];
    if (Status status = evaluator_.verify(contender); !status.ok()) return status;
    Status status = evaluator_.verify_in_place(contender);
    return status.ok() ? status : Status(status.code(), "in place: " + status.message());
  }

  /// The fastest finalist that beats the default and stands the last verification; else the
  /// default.
  Result<Choice> choose(Field field, std::size_t default_index) {
    const Finalist& standard =
        *std::find_if(finalists_.begin(), finalists_.end(),
                      [&](const Finalist& finalist) { return finalist.index == default_index; });
    if (Status status = verify_at_last(standard); !status.ok()) {
      return reject(standard.index, status);
    }
    for (Finalist& finalist : finalists_) {
      const bool eligible =
          field == Field::all || space_.contenders[finalist.index].deterministic();
      if (!eligible || finalist.wrong || !beats(finalist, standard)) continue;
      Status status = verify_at_last(finalist);
      if (status.ok()) return Choice{measured(finalist), measured(standard)};
      finalist.wrong = true;
      if (Status ends = reject(finalist.index, status); !ends.ok()) return ends;
    }
    return Choice{measured(standard), measured(standard)};
  }

  Measured measured(const Finalist& finalist) const {
    return {space_.contenders[finalist.index], measure::summarize(finalist.samples)};
  }

  const SearchSpace& space_;
  Evaluator& evaluator_;
  const Allowance& allowance_;
  const SearchControl& control_;
  TrialOrder order_;
  std::vector<Entrant> entrants_;
  std::vector<Finalist> finalists_;
  double best_us_ = std::numeric_limits<double>::infinity();
  Outcome outcome_;
};

}  // namespace

Result<Outcome> search(const SearchSpace& space, Evaluator& evaluator, const Allowance& allowance,
                       const SearchControl& control) {
  return Search(space, evaluator, allowance, control).run();
}

}  // namespace fastnorm::tuner
