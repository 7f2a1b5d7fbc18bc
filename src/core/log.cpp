// SPDX-License-Identifier: Apache-2.0
#include "core/log.hpp"

#include "core/quoted.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace fastnorm {
namespace {

/// In the order of LogLevel.
constexpr std::array<std::string_view, 5> level_names = {"off", "error", "warning", "info",
                                                         "debug"};

/// One write, so that lines of several threads do not mix. Messages quote files and names: no byte
/// of theirs may begin a line of its own or steer a terminal.
void write_line(LogLevel level, std::string_view message) noexcept {
  const int saved_errno = errno;
  try {
    std::string line = "fastnorm: ";
    line += level_names[static_cast<std::size_t>(level)];
    line += ": ";
    line += escaped(message);
    line += '\n';
    // There is nobody to tell that the log cannot be written.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  } catch (...) {
  }
  errno = saved_errno;
}

LogLevel level_from_environment() noexcept {
  const char* text = std::getenv("FASTNORM_LOG");
  if (text == nullptr || *text == '\0') return LogLevel::warning;
  for (std::size_t i = 0; i < level_names.size(); ++i) {
    if (level_names[i] == text) return static_cast<LogLevel>(i);
  }
  write_line(LogLevel::warning,
             "FASTNORM_LOG is not a level; allowed: off, error, warning, info, debug");
  return LogLevel::warning;
}

}  // namespace

bool log_enabled(LogLevel level) noexcept {
  static const LogLevel threshold = level_from_environment();
  return level != LogLevel::off && level <= threshold;
}

void log(LogLevel level, const std::string& message) noexcept {
  if (log_enabled(level)) write_line(level, message);
}

}  // namespace fastnorm
