// SPDX-License-Identifier: Apache-2.0
/// Whether an entry still deserves its place.
#pragma once

#include "core/dispatcher.hpp"
#include "core/tuning_db.hpp"
#include "tuner/search.hpp"
#include "tuner/tuning_site.hpp"

#include <fastnorm/status.hpp>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fastnorm::tuner {

enum class Verdict {
  wins,        ///< It beats the default.
  is_default,  ///< It names the default, and spares a search; it has no rival, but is measured.
  loses,       ///< The default is as fast, or it is wrong.
  useless      ///< No call can run it.
};

struct Rechecked {
  Verdict verdict = Verdict::useless;
  std::string reason;                  ///< Where it does not win.
  std::optional<Choice> choice;        ///< The times, where it was measured to the end.
  std::optional<TuningStats> stats{};  ///< What it has earned, where it stays undisturbed.
};

/// Whether the entry keeps its place.
constexpr bool keeps_place(Verdict verdict) {
  return verdict == Verdict::wins || verdict == Verdict::is_default;
}

/// What the default has to be like.
enum class Rivals { all, deterministic };

/// Takes the entry's case up at the site and has it compete with the default alone, by the rules of
/// search(): verified first, measured by turns, better beyond noise. Errors: where nothing can be
/// said (this library does not know its strategy, memory does not suffice, the default itself
/// fails, an interrupt, a lost device).
Result<Rechecked> recheck(const TuningEntry& entry, Rivals rivals, const Candidate& target,
                          TuningSite& site, const std::function<bool()>& interrupted);

/// Rechecks the entries of a file one by one. A deterministic one beside one that is not was chosen
/// among the deterministic ones, for calls that ask for those. Once the other has lost its place,
/// all calls find it, and it has to beat the default of all.
class EntriesRecheck {
 public:
  /// The arguments have to outlive the object. `entries` are in the order of sorts_before(): of two
  /// for the same calls, the one that is not deterministic is to be checked first.
  EntriesRecheck(const std::vector<TuningEntry>& entries, const Candidate& target, TuningSite& site)
      : entries_(entries), target_(target), site_(site) {}

  /// One of the entries. Errors: recheck()'s; the entry keeps its place then.
  Result<Rechecked> check(const TuningEntry& entry, const std::function<bool()>& interrupted);

 private:
  Rivals rivals_of(const TuningEntry& entry) const;

  const std::vector<TuningEntry>& entries_;
  const Candidate& target_;
  TuningSite& site_;
  std::set<const TuningEntry*> lost_;
};

}  // namespace fastnorm::tuner
