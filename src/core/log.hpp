// SPDX-License-Identifier: Apache-2.0
/// The log: lines on standard error, off below the level in FASTNORM_LOG (off, error, warning,
/// info, debug; warning if unset). The only place where the library prints.
#pragma once

#include <string>

namespace fastnorm {

enum class LogLevel { off, error, warning, info, debug };

/// Whether a message of this level would be printed; ask before building an expensive one.
bool log_enabled(LogLevel level) noexcept;

/// Prints "fastnorm: <level>: <message>" as one write. Never throws.
void log(LogLevel level, const std::string& message) noexcept;

}  // namespace fastnorm
