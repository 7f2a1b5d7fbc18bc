// SPDX-License-Identifier: Apache-2.0
// To be loaded before the C library: a host that others keep busy.
#include <cstdlib>

#pragma GCC visibility push(default)
extern "C" int getloadavg(double* loads, int count) noexcept {
  constexpr double busy = 99;
  for (int i = 0; i < count; ++i) loads[i] = busy;
  return count;
}
#pragma GCC visibility pop
