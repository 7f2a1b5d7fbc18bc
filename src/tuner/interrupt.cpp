// SPDX-License-Identifier: Apache-2.0
#include "tuner/interrupt.hpp"

#include <csignal>

namespace fastnorm::tuner {
namespace {

volatile std::sig_atomic_t interrupt_noted = 0;

void note_interrupt(int signal) {
  interrupt_noted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void note_interrupts() {
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);  // What a batch system and timeout(1) send.
}

bool interrupted() noexcept { return interrupt_noted != 0; }

}  // namespace fastnorm::tuner
