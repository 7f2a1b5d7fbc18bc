// SPDX-License-Identifier: Apache-2.0
/// How far a run is, in one line of a terminal.
#pragma once

#include "tuner/search.hpp"

#include <cstddef>
#include <limits>
#include <string>

namespace fastnorm::tuner {

struct RunProgress {
  std::size_t cases = 0;  ///< Of the run on this target.
  std::size_t seen = 0;   ///< Of these, those that have ended.
  std::string name;       ///< Of the current one.
  SearchProgress search;  ///< Its; nothing of it is there while its data are loaded.
  double seconds_left = std::numeric_limits<double>::infinity();  ///< That: unknown.
};

/// Of a case, in [0, 1]: by the part of the space that is tried, or of the allowance that is used,
/// whichever is the larger: a guided search tries little of a space. Once the trials have ended it
/// is search_share at least. It never goes back.
double share_done(const SearchProgress& search);

/// At most `columns` wide, without a newline. Where all of it has no room, these are left out in
/// this order: the bar, the counts of trials, the words and then all of the comparison with the
/// default, the end of the name, the name. The best and the time left stay; where even those have
/// no room, the line ends there.
std::string progress_line(const RunProgress& progress, std::size_t columns);

/// "4m35s", "12s", "0.3s".
std::string duration_text(double seconds);

}  // namespace fastnorm::tuner
