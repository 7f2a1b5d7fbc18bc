// SPDX-License-Identifier: Apache-2.0
/// Times what other work on a CUDA device leaves in the L2 for the kernel that follows it.
#pragma once

#include "core/dispatcher.hpp"
#include "launch_queue.hpp"
#include "measure/cuda_handles.hpp"
#include "measure/space.hpp"

#include <fastnorm/status.hpp>

#include <array>
#include <cstddef>
#include <memory>

namespace fastnorm::bench {

/// Of two passes over the same memory, the one behind the other. The first finds nothing of it in
/// the L2; the second finds what the first could keep there.
struct PassTimes {
  double first_us = 0;
  double second_us = 0;
};

class FollowClock {
 public:
  /// For passes over at most so many bytes.
  static Result<FollowClock> create(const Candidate& target, std::size_t most_bytes);

  /// Medians of passes that read `bytes`, a multiple of 16, right behind `before`, which runs on an
  /// L2 that holds nothing of its own. The passes' memory is nobody else's.
  Result<PassTimes> time(const measure::Work& before, std::size_t bytes);

 private:
  FollowClock() = default;
  Status allocate(const Candidate& target, std::size_t bytes, std::unique_ptr<DeviceBuffer>& zeros);
  Result<PassTimes> time_once(const measure::Work& before, std::size_t bytes);
  Status enqueue(const measure::Work& before, std::size_t bytes);

  std::unique_ptr<LaunchQueue> queue_;
  std::unique_ptr<DeviceBuffer> flush_;
  std::unique_ptr<DeviceBuffer> read_;
  std::array<measure::Owned<cudaEvent_t>, 3> ticks_;  ///< Around the passes.
};

}  // namespace fastnorm::bench
