// SPDX-License-Identifier: Apache-2.0
#include "tuner/interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace fastnorm::tuner {
namespace {

volatile std::sig_atomic_t interrupt_noted = 0;

void note_interrupt(int signal) {
  interrupt_noted = 1;
  // timeout(1) sends what it sends to the program and to its group: twice, to the program.
  if (signal == SIGINT) std::signal(signal, SIG_DFL);
}

}  // namespace

void note_interrupts() {
  // SIGTERM is what a batch system and timeout(1) send, SIGHUP a terminal that is closed.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // nohup(1) has them ignored.
    if (std::signal(signal, note_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

bool interrupted() noexcept { return interrupt_noted != 0; }

}  // namespace fastnorm::tuner
