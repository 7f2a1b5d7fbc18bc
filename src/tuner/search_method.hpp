// SPDX-License-Identifier: Apache-2.0
/// How a search goes through its space, and where it begins.
#pragma once

#include <array>

namespace fastnorm::tuner {

enum class SearchMethod {
  guided,     ///< Where what has been measured promises most; ends by itself.
  random,     ///< In an order that the seed decides.
  exhaustive  ///< All of it.
};

inline constexpr std::array all_search_methods = {SearchMethod::guided, SearchMethod::random,
                                                  SearchMethod::exhaustive};

constexpr const char* to_string(SearchMethod method) {
  switch (method) {
    case SearchMethod::guided:
      return "guided";
    case SearchMethod::random:
      return "random";
    case SearchMethod::exhaustive:
      return "exhaustive";
  }
  return "";
}

/// What is tried first.
enum class Proposals {
  database,  ///< What a database knows of this shape and similar ones, and the defaults.
  defaults   ///< These alone: what a search is worth without a database.
};

inline constexpr std::array all_proposals = {Proposals::database, Proposals::defaults};

constexpr const char* to_string(Proposals proposals) {
  return proposals == Proposals::database ? "database" : "defaults";
}

}  // namespace fastnorm::tuner
