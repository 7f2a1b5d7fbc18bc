// SPDX-License-Identifier: Apache-2.0
/// Ctrl-C, or a request to end, as a question that the program asks between evaluations.
#pragma once

namespace fastnorm::tuner {

/// From now on the first Ctrl-C (SIGINT) and each SIGTERM and SIGHUP are only noted; a second
/// Ctrl-C ends the program at once. A signal that the program was begun to ignore stays ignored.
void note_interrupts();

bool interrupted() noexcept;

}  // namespace fastnorm::tuner
