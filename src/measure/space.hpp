// SPDX-License-Identifier: Apache-2.0
/// What a workbench needs of a memory space: raw memory, the reference's kernels, a clock.
#pragma once

#include "core/device_info.hpp"
#include "measure/places.hpp"
#include "measure/random_values.hpp"
#include "measure/reference.hpp"
#include "measure/samples.hpp"

#include <fastnorm/status.hpp>
#include <fastnorm/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fastnorm::measure {

/// Memory of a space, with the function that gives it back.
using Memory = std::unique_ptr<void, void (*)(void*)>;

/// Something to enqueue (host: to do).
using Work = std::function<Status(Stream)>;

/// Versions of what lies below the library; empty where there is none or it cannot be told.
struct Software {
  std::string cuda;    ///< Runtime, "13.0".
  std::string driver;  ///< "580.159".
};

/// All functions return when their work is done. Sizes in bytes unless they say otherwise.
class Space {
 public:
  virtual ~Space() = default;

  virtual Result<std::int64_t> available_bytes() const = 0;

  /// Gives back that much of what caches are flushed with, if the rest still flushes them.
  /// Otherwise, nothing. Error: the rest could not be had either.
  virtual Status release(std::int64_t bytes) = 0;

  virtual Result<Memory> allocate(std::size_t bytes) = 0;  ///< Aligned to a page or better.
  virtual Status fill(void* to, unsigned char byte, std::size_t bytes) = 0;
  virtual Status copy(void* to, const void* from, std::size_t bytes) = 0;
  virtual Status read(void* to_host, const void* from, std::size_t bytes) = 0;

  /// Place p becomes random_value(seed, p, turns.of(p)), rounded to the type.
  virtual Status fill_random(void* tensor, DType type, std::int64_t count, Turns turns,
                             std::uint64_t seed) = 0;

  /// How many places are not what fill_random would have made them.
  virtual Result<std::int64_t> count_damaged(const void* tensor, DType type, std::int64_t count,
                                             Turns turns, std::uint64_t seed) = 0;

  /// Sets all bits of the places without an element.
  virtual Status unset_gaps(void* tensor, DType type, const Places& places) = 0;

  /// How many of them hold something else.
  virtual Result<std::int64_t> count_set_gaps(const void* tensor, DType type,
                                              const Places& places) = 0;

  /// Of each row of what the call normalises. Biased, two passes in fp64: slow, and too plain to be
  /// wrong in the way that a kernel under test is. (No more additions follow each other than
  /// value_tolerance() allows for.)
  virtual Status row_statistics(const ReferenceCall& call, RowStatistics* statistics) = 0;

  /// The call's y with its reference.
  virtual Result<Comparison> compare(const ReferenceCall& call) = 0;

  virtual Status run(const Work& work) = 0;

  /// Cold times in microseconds.
  virtual Result<std::vector<double>> time(const Work& work, const SampleLimits& limits) = 0;

  /// The same for each way to copy that is known: one list of samples a way.
  virtual Result<std::vector<std::vector<double>>> time_copies(void* to, const void* from,
                                                               std::size_t bytes,
                                                               const SampleLimits& limits) = 0;

  /// Failure once the device can no longer be used from this process.
  virtual Status health() = 0;

  virtual Software software() const = 0;
};

Result<std::unique_ptr<Space>> make_host_space(const DeviceInfo& device);

/// Only in a build with CUDA.
Result<std::unique_ptr<Space>> make_cuda_space(const DeviceInfo& device);

}  // namespace fastnorm::measure
