// SPDX-License-Identifier: Apache-2.0
/// A problem as an item of a cases file, which autotune reads.
#pragma once

#include "core/problem.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace fastnorm {

struct CaseText {
  std::string name;  ///< Says everything that the case does but eps and the note.
  std::string yaml;  ///< On one line: "{name: ..., op: ..., ...}".
};

/// The case that a database cannot tell from the problem: dense, without pointers, and with the
/// numbers of an activation at their defaults. `note` is a field for people, of letters, digits,
/// spaces and underscores. None for a problem without elements, and for strides that no dense
/// tensor's database entry would serve.
std::optional<CaseText> case_text(const Problem& problem, std::string_view note);

}  // namespace fastnorm
