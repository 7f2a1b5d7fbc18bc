// SPDX-License-Identifier: Apache-2.0
/// What the parser and the emitter of tuning files must agree on.
#pragma once

#include "core/tuning_db.hpp"

#include <string>
#include <string_view>

namespace fastnorm {

inline constexpr int tuning_schema = 1;

/// A field of a key that has one value so far. It is written and checked, so that this library
/// leaves alone what a later one has measured of backward passes.
inline constexpr std::string_view forward_pass = "forward";

struct ProvenanceField {
  const char* name;
  std::string Provenance::*value;
};
inline constexpr ProvenanceField provenance_fields[] = {{"fastnorm", &Provenance::fastnorm},
                                                        {"cuda", &Provenance::cuda},
                                                        {"driver", &Provenance::driver},
                                                        {"utc", &Provenance::utc}};

}  // namespace fastnorm
