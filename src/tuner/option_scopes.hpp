// SPDX-License-Identifier: Apache-2.0
/// Which options mean something to which commands.
#pragma once

#include "tuner/options.hpp"

#include <fastnorm/status.hpp>

#include <functional>
#include <string_view>

namespace fastnorm::tuner {

/// Whether an option of that name, "--budget", was given.
using IsGiven = std::function<bool(std::string_view option)>;

/// Whether the command has a use for the program's option of that name.
bool goes_with(Command command, std::string_view option);

/// An option that its command has no use for is a mistake: whoever gives it expects something of
/// it. Error: invalid_argument, with the commands that it goes with.
Status check_option_scopes(Command command, const IsGiven& is_given);

}  // namespace fastnorm::tuner
