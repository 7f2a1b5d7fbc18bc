// SPDX-License-Identifier: Apache-2.0
/// One GPU of several, for a process that takes the first it sees.
#pragma once

#include <string>

namespace fastnorm::tuner {

/// "CUDA_VISIBLE_DEVICES=...": the environment of a program that sees this one of the GPUs that
/// this program sees, as its only one; or none, where there is no such number.
std::string visible_gpu(int number);

}  // namespace fastnorm::tuner
