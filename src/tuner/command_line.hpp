// SPDX-License-Identifier: Apache-2.0
/// The program's command line.
#pragma once

#include "tuner/options.hpp"

#include <variant>

namespace fastnorm::tuner {

/// The options; or the exit status where there is nothing more to do (help and errors are printed).
std::variant<Options, int> parse_command_line(int argc, const char* const* argv);

}  // namespace fastnorm::tuner
