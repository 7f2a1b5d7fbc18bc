// SPDX-License-Identifier: Apache-2.0
/// A kernel that keeps a device busy, or a part of it, for as long as a test wants.
#pragma once

#include <fastnorm/types.hpp>

#include <chrono>

namespace fastnorm::test {

/// When its blocks end by themselves, from their start on: block b after first + b * step.
struct SpinLimits {
  std::chrono::nanoseconds first;
  std::chrono::nanoseconds step{0};
};

/// The blocks spin until they are told to end, or their time is up.
class SpinningGrid {
 public:
  /// Allocates and enqueues. A block with all of a processor's shared memory keeps other blocks off
  /// it.
  SpinningGrid(Stream stream, int blocks, int shared_bytes, SpinLimits limits);
  ~SpinningGrid();
  SpinningGrid(const SpinningGrid&) = delete;
  SpinningGrid& operator=(const SpinningGrid&) = delete;

  /// Whether all blocks have come to run at once, within that time.
  bool runs_within(std::chrono::seconds limit) const;

  /// Whether a block still spins, or has not yet begun.
  bool running() const;

  void end();

  /// What it shares with its kernel.
  struct Flags {
    unsigned int all_run;
    unsigned int end;
  };

 private:
  const Stream stream_;
  volatile Flags* flags_ = nullptr;  ///< Host memory that the device sees.
  unsigned int* started_ = nullptr;  ///< Blocks; device memory.
};

}  // namespace fastnorm::test
