// SPDX-License-Identifier: Apache-2.0
/// Walking through a ring of slots.
#pragma once

namespace fastnorm::cuda {

/// A place in the ring; each role walks through all of them in the order of the loads.
struct Place {
  int slot = 0;
  unsigned int parity = 0;

  __device__ __forceinline__ void advance(int by, int slots) {
    slot += by;
    while (slot >= slots) {
      slot -= slots;
      parity ^= 1;
    }
  }
};

}  // namespace fastnorm::cuda
