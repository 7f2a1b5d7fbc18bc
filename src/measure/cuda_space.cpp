// SPDX-License-Identifier: Apache-2.0
/// A CUDA device's memory: the reference's kernels, calls replayed as graphs, events.
#include "backends/cuda/cuda_devices.hpp"
#include "backends/cuda/cuda_status.hpp"
#include "measure/cuda_contents.cuh"
#include "measure/cuda_copies.cuh"
#include "measure/cuda_flush.hpp"
#include "measure/cuda_handles.hpp"
#include "measure/cuda_reference.cuh"
#include "measure/driver_version.hpp"
#include "measure/space.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>
#include <utility>

namespace fastnorm::measure {
namespace {

using fastnorm::cuda::to_status;

/// What is enqueued before the first wait: enough to keep the device busy while the host enqueues.
constexpr std::size_t most_runs = 16;

Result<Memory> allocate_device(std::size_t bytes) {
  void* memory = nullptr;
  if (const cudaError_t error = cudaMalloc(&memory, bytes); error != cudaSuccess) {
    return to_status(error, "cudaMalloc of " + std::to_string(bytes) + " bytes");
  }
  return Memory(memory, [](void* pointer) { static_cast<void>(cudaFree(pointer)); });
}

class CudaSpace final : public Space {
 public:
  /// All that can fail; a member left null after a failure is destroyed all the same.
  Status initialise(const DeviceInfo& device) {
    if (Status status = to_status(cudaSetDevice(device.ordinal), "cudaSetDevice"); !status.ok()) {
      return status;
    }
    cudaStream_t stream = nullptr;
    if (Status status = to_status(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                                  "cudaStreamCreate");
        !status.ok()) {
      return status;
    }
    stream_.reset(stream);
    for (std::size_t i = 0; i < 2 * most_runs; ++i) {
      cudaEvent_t event = nullptr;
      if (Status status = to_status(cudaEventCreate(&event), "cudaEventCreate"); !status.ok()) {
        return status;
      }
      events_.emplace_back(event);
    }
    least_flush_ = least_flush_bytes(device);
    if (Status status = allocate_flush(flush_bytes(device)); !status.ok()) return status;
    Result<Memory> tallies = allocate_device(comparison_blocks * sizeof(Comparison));
    if (!tallies.ok()) return tallies.status();
    tallies_ = std::move(tallies).value();
    const Result<double> step_us = clock_step_us();
    if (!step_us.ok()) return step_us.status();
    step_us_ = step_us.value();
    return {};
  }

  Result<std::int64_t> available_bytes() const override {
    std::size_t free = 0;
    std::size_t total = 0;
    if (Status status = to_status(cudaMemGetInfo(&free, &total), "cudaMemGetInfo"); !status.ok()) {
      return status;
    }
    return static_cast<std::int64_t>(free);
  }

  Result<Memory> allocate(std::size_t bytes) override { return allocate_device(bytes); }

  Status fill(void* to, unsigned char byte, std::size_t bytes) override {
    return finish(cudaMemsetAsync(to, byte, bytes, stream_.get()), "filling memory");
  }

  Status copy(void* to, const void* from, std::size_t bytes) override {
    return finish(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_.get()),
                  "copying on the device");
  }

  Status read(void* to_host, const void* from, std::size_t bytes) override {
    return finish(cudaMemcpyAsync(to_host, from, bytes, cudaMemcpyDeviceToHost, stream_.get()),
                  "copying from the device");
  }

  Status fill_random(void* tensor, DType type, std::int64_t count, Turns turns,
                     std::uint64_t seed) override {
    return finish(enqueue_fill_random(tensor, type, count, turns, seed, stream_.get()),
                  "filling a tensor");
  }

  Result<std::int64_t> count_damaged(const void* tensor, DType type, std::int64_t count,
                                     Turns turns, std::uint64_t seed) override {
    return counted(
        enqueue_count_damaged(tensor, type, count, turns, seed, counter(), stream_.get()),
        "looking for overwritten inputs");
  }

  Status unset_gaps(void* tensor, DType type, const Places& places) override {
    return finish(enqueue_unset_gaps(tensor, type, places, stream_.get()), "filling gaps");
  }

  Result<std::int64_t> count_set_gaps(const void* tensor, DType type,
                                      const Places& places) override {
    return counted(enqueue_count_set_gaps(tensor, type, places, counter(), stream_.get()),
                   "looking for overwritten gaps");
  }

  Status row_statistics(const ReferenceCall& call, RowStatistics* statistics) override {
    return finish(enqueue_row_statistics(call, statistics, stream_.get()),
                  "computing the reference statistics");
  }

  Result<Comparison> compare(const ReferenceCall& call) override {
    auto* tallies = static_cast<Comparison*>(tallies_.get());
    std::vector<Comparison> of_blocks(comparison_blocks);
    Status status =
        to_status(enqueue_compare(call, tallies, stream_.get()), "comparing with the reference");
    if (!status.ok()) return status;
    status = read(of_blocks.data(), tallies, of_blocks.size() * sizeof(Comparison));
    if (!status.ok()) return status;
    Comparison total{};
    for (const Comparison& tally : of_blocks) merge(total, tally);
    return total;
  }

  Status run(const Work& work) override {
    Status status = work(Stream{stream_.get()});
    // Waits even after a failure: what was enqueued before it must not outlive the call.
    Status finished = finish(cudaSuccess, "running the call");
    return status.ok() ? finished : status;
  }

  Result<std::vector<double>> time(const Work& work, const SampleLimits& limits) override {
    Result<Owned<cudaGraphExec_t>> captured = capture(work);
    if (!captured.ok()) return captured.status();
    cudaGraphExec_t graph = captured.value().get();
    return sample([&] { return cudaGraphLaunch(graph, stream_.get()); }, limits);
  }

  Result<std::vector<std::vector<double>>> time_copies(void* to, const void* from,
                                                       std::size_t bytes,
                                                       const SampleLimits& limits) override {
    std::vector<std::vector<double>> ways;
    // Outside a graph: as a graph's node the same copy can be half again as slow.
    Result<std::vector<double>> plain = sample(
        [&] { return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_.get()); },
        limits);
    if (!plain.ok()) return plain.status();
    ways.push_back(std::move(plain).value());
    for (const CopyShape shape : copy_shapes) {
      Result<std::vector<double>> kernel = time(
          [&](Stream stream) {
            return to_status(
                enqueue_copy(shape, to, from, bytes, static_cast<cudaStream_t>(stream.handle)),
                "copying with a kernel");
          },
          limits);
      if (!kernel.ok()) return kernel.status();
      ways.push_back(std::move(kernel).value());
    }
    return ways;
  }

  Status release(std::int64_t bytes) override {
    const auto held = static_cast<std::int64_t>(flush_size_);
    const auto least = static_cast<std::int64_t>(least_flush_);
    if (bytes > held - least) return {};
    flush_.reset();
    return allocate_flush(static_cast<std::size_t>(held - bytes));
  }

  Status health() override { return finish(cudaDeviceSynchronize(), "using the device"); }

  Software software() const override { return {cuda::runtime_version(), driver_version()}; }

 private:
  /// Of that size, or of as much of it as there is memory for.
  Status allocate_flush(std::size_t bytes) {
    for (;; bytes = std::max(bytes / 2, least_flush_)) {
      Result<Memory> flush = allocate_device(bytes);
      if (!flush.ok() && flush.status().code() == StatusCode::out_of_memory &&
          bytes > least_flush_) {
        continue;
      }
      if (!flush.ok()) return flush.status();
      flush_ = std::move(flush).value();
      flush_size_ = bytes;
      return {};
    }
  }

  /// Waits for the stream.
  Status finish(cudaError_t enqueued, const char* what) {
    cudaError_t error = cudaStreamSynchronize(stream_.get());
    if (error == cudaSuccess) error = enqueued;
    return to_status(error, what);
  }

  /// Where kernels count; the tallies' memory serves.
  unsigned long long* counter() const { return static_cast<unsigned long long*>(tallies_.get()); }

  Result<std::int64_t> counted(cudaError_t enqueued, const char* what) {
    if (Status status = to_status(enqueued, what); !status.ok()) return status;
    unsigned long long total = 0;
    if (Status status = read(&total, counter(), sizeof total); !status.ok()) return status;
    return static_cast<std::int64_t>(total);
  }

  Result<Owned<cudaGraphExec_t>> capture(const Work& work) {
    Status status =
        to_status(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal),
                  "beginning a capture");
    if (!status.ok()) return status;
    status = work(Stream{stream_.get()});
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream_.get(), &graph);
    const Owned<cudaGraph_t> owned_graph(graph);
    if (!status.ok() || ended != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return status.ok() ? to_status(ended, "capturing the call into a graph") : status;
    }
    cudaGraphExec_t executable = nullptr;
    status =
        to_status(cudaGraphInstantiate(&executable, graph, 0), "instantiating the call's graph");
    if (!status.ok()) return status;
    return Owned<cudaGraphExec_t>(executable);
  }

  template <class Enqueue>
  Result<std::vector<double>> sample(const Enqueue& enqueue, const SampleLimits& limits) {
    if (Status status = finish(enqueue(), "warming up the call"); !status.ok()) return status;
    return collect_samples(limits, {step_us_, most_runs},
                           [&](std::size_t count) { return single_runs(enqueue, count); });
  }

  /// Waits for the run before, lets go of the lines that it has asked the L2 to keep, in which the
  /// next run would find its x, and enqueues what displaces all others.
  cudaError_t flush() {
    if (const cudaError_t error = cudaStreamSynchronize(stream_.get()); error != cudaSuccess) {
      return error;
    }
    let_go_of_kept_lines();
    return cudaMemsetAsync(flush_.get(), 0, flush_size_, stream_.get());
  }

  /// Pairs of events around what `enqueue` enqueues and nothing else; at most `most_runs`. The
  /// flush in front of each keeps the device busy until the host has enqueued the rest, so that no
  /// launch is waited for in between.
  template <class Enqueue>
  Result<std::vector<double>> single_runs(const Enqueue& enqueue, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      cudaError_t error = flush();
      if (error == cudaSuccess) error = cudaEventRecord(events_[2 * i].get(), stream_.get());
      if (error == cudaSuccess) error = enqueue();
      if (error == cudaSuccess) error = cudaEventRecord(events_[2 * i + 1].get(), stream_.get());
      if (error != cudaSuccess) return finish(error, "replaying the call");
    }
    if (Status status = finish(cudaSuccess, "timing the call"); !status.ok()) return status;
    std::vector<double> times;
    for (std::size_t i = 0; i < count; ++i) {
      float milliseconds = 0;
      const cudaError_t error =
          cudaEventElapsedTime(&milliseconds, events_[2 * i].get(), events_[2 * i + 1].get());
      if (error != cudaSuccess) return to_status(error, "reading the events");
      times.push_back(1e3 * static_cast<double>(milliseconds));
    }
    return times;
  }

  /// The step of the events' clock, which differs between architectures (32 ns, 1 us): that of the
  /// times of memsets of many lengths.
  Result<double> clock_step_us() {
    constexpr std::size_t rounds = 4;
    constexpr std::size_t shortest = std::size_t{64} << 10;
    std::size_t bytes = 0;
    std::vector<double> times;
    for (std::size_t round = 0; round < rounds; ++round) {
      const Result<std::vector<double>> runs = single_runs(
          [&] {
            bytes += shortest;
            return cudaMemsetAsync(flush_.get(), 0, bytes, stream_.get());
          },
          most_runs);
      if (!runs.ok()) return runs.status();
      times.insert(times.end(), runs.value().begin(), runs.value().end());
    }
    return smallest_step(std::move(times));
  }

  Owned<cudaStream_t> stream_;
  std::vector<Owned<cudaEvent_t>> events_;
  Memory flush_{nullptr, nullptr};
  std::size_t flush_size_ = 0;
  std::size_t least_flush_ = 0;
  double step_us_ = 0;
  Memory tallies_{nullptr, nullptr};
};

}  // namespace

Result<std::unique_ptr<Space>> make_cuda_space(const DeviceInfo& device) {
  auto space = std::make_unique<CudaSpace>();
  if (Status status = space->initialise(device); !status.ok()) return status;
  return std::unique_ptr<Space>(std::move(space));
}

}  // namespace fastnorm::measure
