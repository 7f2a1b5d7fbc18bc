// SPDX-License-Identifier: Apache-2.0
/// Lines of text to and from another process.
#pragma once

#include "core/file_descriptor.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fastnorm::tuner {

class LineChannel {
 public:
  /// By running_time(): a program that did not run has not waited.
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  enum class Received {
    line,
    late,    ///< None was there by the deadline.
    closed,  ///< The other end is gone.
    endless  ///< More than any line has.
  };

  /// Takes one end of a pair of stream sockets.
  explicit LineChannel(FileDescriptor socket) : socket_(std::move(socket)) {}

  /// With its newline. False where nobody is there to read it.
  bool send(std::string_view line);

  /// Waits for the next line, which comes without its newline. No deadline: as long as it takes.
  Received receive(std::string& line, const Deadline& deadline);

 private:
  FileDescriptor socket_;
  std::string unread_;
};

}  // namespace fastnorm::tuner
