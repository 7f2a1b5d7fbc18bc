// SPDX-License-Identifier: Apache-2.0
/// With what an entry of a tuning file was measured.
#pragma once

#include <string>

namespace fastnorm {

/// Empty where it is not known, or there is none.
struct Provenance {
  std::string fastnorm;  ///< Version of the library.
  std::string cuda;      ///< Of the runtime.
  std::string driver;
  std::string utc;  ///< Date on which the run was begun.

  friend bool operator==(const Provenance& a, const Provenance& b);
  /// The later date after the earlier one.
  friend bool operator<(const Provenance& a, const Provenance& b);
};

/// "fastnorm 0.1.0, CUDA 13.0, driver 580.65", as far as it is known.
std::string software_text(const Provenance& provenance);

/// What is known of both and differs, "CUDA 12.8 instead of 13.0", whatever the dates. Empty for
/// nothing.
std::string software_difference(const Provenance& measured, const Provenance& here);

}  // namespace fastnorm
