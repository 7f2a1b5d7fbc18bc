// SPDX-License-Identifier: Apache-2.0
/// How often the body of a conditional WHILE node runs.
#pragma once

#include "support/guarded_buffer.hpp"
#include "support/target.hpp"

#include <fastnorm/types.hpp>

#include <cuda_runtime_api.h>

namespace fastnorm::test {

/// A counter in device memory, and the kernel at the end of the body that counts.
class Countdown {
 public:
  /// Loads the kernel, which a capture need not allow.
  Countdown();

  /// Enqueues: one iteration less is left, and the condition holds while there is any.
  void enqueue(cudaGraphConditionalHandle condition, Stream stream) const;

  void start(unsigned int iterations) { left_.write({iterations}); }
  unsigned int left() const { return left_.read().front(); }

 private:
  GuardedBuffer<unsigned int> left_{target_memory(), 1};
};

}  // namespace fastnorm::test
