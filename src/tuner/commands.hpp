// SPDX-License-Identifier: Apache-2.0
/// The program's commands. Each returns the exit status.
#pragma once

#include "tuner/options.hpp"

namespace fastnorm::tuner {

int run(const Options& options);
int show(const Options& options);
int explain(const Options& options);
int digest(const Options& options);
int validate(const Options& options);
int merge(const Options& options);
int recheck(const Options& options);

}  // namespace fastnorm::tuner
