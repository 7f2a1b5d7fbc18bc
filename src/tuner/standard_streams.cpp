// SPDX-License-Identifier: Apache-2.0
#include "tuner/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace fastnorm::tuner {
namespace {

bool is_closed(int descriptor) noexcept {
  return ::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF;
}

}  // namespace

bool open_closed_standard_streams() noexcept {
  // In this order each is the lowest that is free, which is what open() gives.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int access = stream == STDIN_FILENO ? O_RDONLY : O_WRONLY;
    if (is_closed(stream) && ::open("/dev/null", access) != stream) return false;
  }
  return true;
}

}  // namespace fastnorm::tuner
