// SPDX-License-Identifier: Apache-2.0
/// Commands that messages propose, to be pasted into a shell.
#pragma once

#include <string>
#include <string_view>

namespace fastnorm {

/// `text` as one word of a POSIX shell's command: as it is where it is plain, else in single
/// quotes.
std::string shell_word(std::string_view text);

}  // namespace fastnorm
