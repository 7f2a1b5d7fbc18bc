// SPDX-License-Identifier: Apache-2.0
/// Ctrl-C, or a request to end, as a question that the program asks between evaluations.
#pragma once

namespace fastnorm::tuner {

/// From now on the first Ctrl-C (SIGINT), and the first SIGTERM, is only noted; a second one ends
/// the program at once.
void note_interrupts();

bool interrupted() noexcept;

}  // namespace fastnorm::tuner
