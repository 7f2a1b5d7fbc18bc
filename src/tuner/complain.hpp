// SPDX-License-Identifier: Apache-2.0
/// The program's one way to say what went wrong.
#pragma once

#include "core/quoted.hpp"

#include <fastnorm/status.hpp>

#include <cstdio>
#include <string>

namespace fastnorm::tuner {

/// "autotune: ..." on standard error, one line whatever it quotes; returns the exit status it is
/// given.
inline int complain(const std::string& what, int exit_status) {
  std::fflush(stdout);
  std::fprintf(stderr, "autotune: %s\n", escaped(what).c_str());
  return exit_status;
}

inline int complain(const Status& why, int exit_status) {
  return complain(why.message(), exit_status);
}

}  // namespace fastnorm::tuner
