// SPDX-License-Identifier: Apache-2.0
/// The one method by which tuner, benchmarks and GPU tests verify and time.
#pragma once

#include "core/device_info.hpp"
#include "core/problem.hpp"
#include "measure/call.hpp"
#include "measure/cases.hpp"
#include "measure/guarded_buffer.hpp"
#include "measure/samples.hpp"
#include "measure/space.hpp"
#include "measure/verdict.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::measure {

/// The tensors of one problem in one device's memory, a reference for them, and a clock.
///
/// Not for several threads at once. Buffers only grow, so that going over many problems allocates
/// little; whoever loads the largest problem first allocates once.
class Workbench {
 public:
  explicit Workbench(std::unique_ptr<Space> space) : space_(std::move(space)) {}

  /// Takes up a problem: fills x with random values, and so gamma and beta where they are present
  /// (rms_norm: gamma alone), and the residual, scale and shift that the descriptor asks for;
  /// computes the reference statistics in fp64. The same seed gives the same values in every space.
  /// What lies between the elements of a strided tensor is filled like these.
  /// Errors: those of the descriptor; unsupported (an empty tensor);
  /// out_of_memory, with what is needed and what is free: the case cannot be measured here;
  /// device_error.
  Status load(const NormDesc& desc, Affine affine, std::uint64_t seed);

  /// Runs the call on a poisoned y with a garbage workspace, and compares every element of y with
  /// the reference computed from the inputs in fp64; checks the canaries around every buffer, the
  /// gaps of y, and x and the residual themselves where y is wrong or they have gaps.
  /// Errors: the call's own, device_error; unavailable before load().
  Result<Verdict> verify(const Call& call);

  /// Whether y may be x: both have one type, and their elements in the same places.
  bool may_run_in_place() const noexcept;

  /// The same with y = x, from a fresh copy of x. Error, in addition: unsupported where it may not.
  Result<Verdict> verify_in_place(const Call& call);

  /// Times of single runs in microseconds, caches cold, and nothing but the call between the
  /// clock's ticks. On a device the call is captured into a graph once and replayed. Errors: as
  /// verify().
  Result<std::vector<double>> time(const Call& call, const SampleLimits& limits);

  /// The copy ceiling by the same method: the median time of the fastest way known to copy half of
  /// `moved_bytes`, which are thus read and written together. At most what a call of the loaded
  /// problem moves; measured once for each size.
  Result<double> copy_us(std::int64_t moved_bytes);

  /// The same with its noise.
  Result<Summary> copy(std::int64_t moved_bytes);

  /// Whether a call of the loaded problem may have taken that long. Not 0, nor more than 5% less
  /// than the fastest sample of any copy of the bytes that it moves; the copies are timed again
  /// before that is said.
  /// Errors: device_error with both times, those of copy_us().
  Status check_plausible(double us);

  /// The loaded problem's tensors, for a caller with measurements of its own.
  NormArgs args() const noexcept;

  /// Failure once the device can no longer be used from this process (an illegal access does that).
  Status health() { return space_->health(); }

  Software software() const { return space_->software(); }

 private:
  /// A tensor of the problem in its buffer.
  struct Tensor {
    GuardedBuffer* buffer;
    const char* name;
    DType type;
    std::int64_t count;                 ///< Elements and gaps; 0: the call does without it.
    std::optional<std::uint64_t> seed;  ///< Of an input's values.
    std::optional<RowStrides> strides;  ///< Of one with an element for each of x.

    std::size_t bytes() const noexcept { return static_cast<std::size_t>(count) * size_of(type); }
  };
  struct TimedCopy {
    Summary time;       ///< Of the fastest way to copy.
    double fastest_us;  ///< Of all ways' samples: on a busy machine, the median says little.
  };
  /// Those of a call, inputs and y.
  std::array<Tensor, 7> tensors(const Problem& problem);

  Status check_memory(const Problem& problem);
  /// Sizes, canaries and contents, as after a load.
  Status place_tensors(const Problem& problem);
  Status prepare_workspace(std::size_t bytes);
  /// Source and target for copies of that many bytes: x and y where they are large enough.
  Result<std::pair<const void*, void*>> copy_tensors(std::size_t bytes);
  Result<TimedCopy> time_copy(std::int64_t copied);
  Result<Verdict> run_and_compare(const Call& call, const NormArgs& args);
  ReferenceCall reference_call() const noexcept;
  /// Each tensor around which, output between whose elements, and input in which something was
  /// written.
  Result<std::string> damaged_surroundings();
  Result<std::string> damaged_gaps();
  Result<std::string> damaged_inputs();
  bool inputs_have_gaps() const;

  std::unique_ptr<Space> space_;
  std::optional<Problem> problem_;
  Affine affine_ = Affine::absent;
  std::uint64_t seed_ = 0;
  GuardedBuffer x_, y_, gamma_, beta_, residual_, scale_, shift_;
  GuardedBuffer statistics_, workspace_, copy_from_, copy_to_;
  std::map<std::int64_t, TimedCopy> copies_;  ///< By the bytes copied.
  int verifications_ = 0;
};

/// The workbench for the device's memory: a CUDA device's or the host's.
/// Errors: unavailable (a device in a build without CUDA), device_error.
Result<std::unique_ptr<Workbench>> make_workbench(const DeviceInfo& device);

}  // namespace fastnorm::measure
