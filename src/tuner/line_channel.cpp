// SPDX-License-Identifier: Apache-2.0
#include "tuner/line_channel.hpp"

#include "tuner/suspension.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <limits>

namespace fastnorm::tuner {
namespace {

/// Ten thousand samples are a hundredth of it.
constexpr std::size_t longest_line = std::size_t{1} << 24;

/// For poll(): never less than what is left, so that it does not spin through the last millisecond.
int milliseconds_until(const LineChannel::Deadline& deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - running_time());
  return static_cast<int>(
      std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, std::numeric_limits<int>::max()));
}

}  // namespace

bool LineChannel::send(std::string_view line) {
  while (!line.empty()) {
    const ssize_t sent = ::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    line.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

LineChannel::Received LineChannel::receive(std::string& line, const Deadline& deadline) {
  for (;;) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      line.assign(unread_, 0, end);
      unread_.erase(0, end + 1);
      return Received::line;
    }
    if (unread_.size() > longest_line) return Received::endless;
    pollfd wanted{socket_.get(), POLLIN, 0};
    const int ready = ::poll(&wanted, 1, milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      // The system's clock has gone on while the program did not run.
      if (running_time() < *deadline) continue;
      return Received::late;
    }
    std::array<char, 4096> piece;
    const ssize_t count = ready < 0 ? -1 : ::recv(socket_.get(), piece.data(), piece.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Received::closed;
    unread_.append(piece.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace fastnorm::tuner
