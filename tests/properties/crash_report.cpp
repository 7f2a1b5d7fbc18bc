// SPDX-License-Identifier: Apache-2.0
#include "crash_report.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>

namespace fastnorm::test {
namespace {

constexpr std::array watched = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM};

// A handler may touch little more than such memory.
std::array<char, 4096> words_of_crash{};
volatile std::sig_atomic_t length_of_words = 0;
std::array<struct sigaction, watched.size()> before{};

void print_words(int signal) {
  static_cast<void>(
      !write(STDERR_FILENO, words_of_crash.data(), static_cast<std::size_t>(length_of_words)));
  for (std::size_t i = 0; i < watched.size(); ++i) {
    if (watched[i] == signal) sigaction(signal, &before[i], nullptr);
  }
  // What a program does to itself it does again when the handler returns, and meets whoever would
  // have handled it (a sanitizer knows the place by that).
  if (signal == SIGTERM) raise(signal);
}

}  // namespace

CrashReport::CrashReport() {
  struct sigaction action {};
  action.sa_handler = print_words;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < watched.size(); ++i) sigaction(watched[i], &action, &before[i]);
}

CrashReport::~CrashReport() {
  for (std::size_t i = 0; i < watched.size(); ++i) sigaction(watched[i], &before[i], nullptr);
}

void CrashReport::last_words(const std::string& words) {
  length_of_words = 0;
  const std::size_t length = std::min(words.size(), words_of_crash.size());
  std::copy_n(words.begin(), length, words_of_crash.begin());
  length_of_words = static_cast<std::sig_atomic_t>(length);
}

}  // namespace fastnorm::test
