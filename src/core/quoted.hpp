// SPDX-License-Identifier: Apache-2.0
/// Text from files and command lines within messages. It may hold anything: what is printed of it
/// is one short piece of a line, and steers no terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fastnorm {

/// Characters that a message shows of a value.
inline constexpr std::size_t longest_value = 60;

/// Characters that are shown of a name or a configuration: more than those that we make have.
inline constexpr std::size_t longest_name = 400;

/// All of the text, with control characters as \n or \x1b, bytes that are not UTF-8 as \xff. What
/// has been escaped stays as it is.
std::string escaped(std::string_view text);

/// The same, ended with "..." where more than so many characters would be shown.
std::string shortened(std::string_view text, std::size_t most = longest_value);

/// The same in quotes.
std::string in_quotes(std::string_view text, std::size_t most = longest_value);

}  // namespace fastnorm
