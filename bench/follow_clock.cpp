// SPDX-License-Identifier: Apache-2.0
#include "follow_clock.hpp"

#include "backends/cuda/cuda_status.hpp"
#include "measure/cuda_flush.hpp"
#include "measure/samples.hpp"
#include "read_pass.cuh"

#include <cuda_runtime_api.h>

#include <utility>
#include <vector>

namespace fastnorm::bench {
namespace {

using fastnorm::cuda::to_status;

constexpr int repetitions = 51;

cudaStream_t handle_of(const LaunchQueue& queue) {
  return static_cast<cudaStream_t>(queue.stream().handle);
}

Result<double> microseconds_between(cudaEvent_t start, cudaEvent_t stop) {
  float milliseconds = 0;
  const cudaError_t error = cudaEventElapsedTime(&milliseconds, start, stop);
  if (error != cudaSuccess) return to_status(error, "reading the events");
  return 1e3 * static_cast<double>(milliseconds);
}

}  // namespace

Result<FollowClock> FollowClock::create(const Candidate& target, std::size_t most_bytes) {
  FollowClock clock;
  Result<std::unique_ptr<LaunchQueue>> queue = make_device_queue();
  if (!queue.ok()) return queue.status();
  clock.queue_ = std::move(queue).value();
  for (measure::Owned<cudaEvent_t>& tick : clock.ticks_) {
    cudaEvent_t event = nullptr;
    if (Status status = to_status(cudaEventCreate(&event), "cudaEventCreate"); !status.ok()) {
      return status;
    }
    tick.reset(event);
  }
  Status status = clock.allocate(target, measure::flush_bytes(*target.device), clock.flush_);
  if (status.ok()) status = clock.allocate(target, most_bytes, clock.read_);
  if (!status.ok()) return status;
  return clock;
}

Status FollowClock::allocate(const Candidate& target, std::size_t bytes,
                             std::unique_ptr<DeviceBuffer>& zeros) {
  Result<std::unique_ptr<DeviceBuffer>> buffer = target.backend->allocate(*target.device, bytes);
  if (!buffer.ok()) return buffer.status();
  zeros = std::move(buffer).value();
  const cudaError_t error = cudaMemsetAsync(zeros->data(), 0, bytes, handle_of(*queue_));
  return error == cudaSuccess ? queue_->drain() : to_status(error, "filling memory");
}

Result<PassTimes> FollowClock::time(const measure::Work& before, std::size_t bytes) {
  // What is launched for the first time may have to be loaded.
  if (Result<PassTimes> warm = time_once(before, bytes); !warm.ok()) return warm;
  std::vector<double> first_us;
  std::vector<double> second_us;
  for (int i = 0; i < repetitions; ++i) {
    const Result<PassTimes> times = time_once(before, bytes);
    if (!times.ok()) return times;
    first_us.push_back(times.value().first_us);
    second_us.push_back(times.value().second_us);
  }
  return PassTimes{measure::median(std::move(first_us)), measure::median(std::move(second_us))};
}

Result<PassTimes> FollowClock::time_once(const measure::Work& before, std::size_t bytes) {
  measure::let_go_of_kept_lines();
  const Status enqueued = enqueue(before, bytes);
  // Waits even after a failure: what was enqueued before it must not outlive the call.
  const Status drained = queue_->drain();
  if (!enqueued.ok()) return enqueued;
  if (!drained.ok()) return drained;
  const Result<double> first = microseconds_between(ticks_[0].get(), ticks_[1].get());
  if (!first.ok()) return first.status();
  const Result<double> second = microseconds_between(ticks_[1].get(), ticks_[2].get());
  if (!second.ok()) return second.status();
  return PassTimes{first.value(), second.value()};
}

/// The flush keeps the device busy until the host has enqueued the rest, so that no launch is
/// waited for between the ticks.
Status FollowClock::enqueue(const measure::Work& before, std::size_t bytes) {
  cudaStream_t stream = handle_of(*queue_);
  Status status =
      to_status(enqueue_read(flush_->data(), flush_->size(), stream), "flushing the L2");
  if (!status.ok()) return status;
  if (status = before(queue_->stream()); !status.ok()) return status;
  cudaError_t error = cudaEventRecord(ticks_[0].get(), stream);
  for (std::size_t pass = 1; pass < ticks_.size(); ++pass) {
    if (error == cudaSuccess) error = enqueue_read(read_->data(), bytes, stream);
    if (error == cudaSuccess) error = cudaEventRecord(ticks_[pass].get(), stream);
  }
  return to_status(error, "enqueueing the passes");
}

}  // namespace fastnorm::bench
