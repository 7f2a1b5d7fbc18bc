// SPDX-License-Identifier: Apache-2.0
/// One call with everything around it: tensors with canaries, poisoned outputs, the reference, and
/// the verdict.
#pragma once

#include "support/guarded_buffer.hpp"
#include "support/guarded_tensor.hpp"
#include "support/memory.hpp"
#include "support/oracle.hpp"

#include <fastnorm/norm.hpp>
#include <fastnorm/plan.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace fastnorm::test {

/// By how many elements each tensor lies off its natural boundary.
struct Offsets {
  std::size_t x = 0;
  std::size_t y = 0;
  std::size_t gamma = 0;
  std::size_t beta = 0;
  std::size_t residual = 0;
  std::size_t sum = 0;
  std::size_t scale = 0;
  std::size_t shift = 0;
};

/// Where y goes: in a tensor of its own, or over an input of its type.
enum class Output { separate, in_place, in_residual };

/// Where the sum with the residual goes. Where y goes into the same input, nothing is right.
enum class SumOutput { absent, separate, in_x, in_residual };

/// Which of mean and rstd the call asks for. An rms_norm has no mean to ask for.
enum class SavedStatistics { none, mean, rstd, both };

struct TrialSetup {
  NormDesc desc;
  NormInputs inputs;
  SavedStatistics statistics = SavedStatistics::both;
  Output output = Output::separate;
  SumOutput sum = SumOutput::absent;
  Offsets offsets{};
};

class Trial {
 public:
  Trial(TrialSetup setup, Memory& memory);
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// Writes the inputs anew and poisons the outputs; then args() are ready for a call.
  void reset();

  NormArgs args() const;

  /// Writes what a right call writes: for tests of what judges calls.
  void pretend();

  /// Other values in x, which check() knows nothing of.
  void overwrite_x(const Values& x) { x_.put(x); }

  /// The verdict on the last call: outputs within tolerance, the sum to the bit, inputs unchanged,
  /// canaries intact.
  ::testing::AssertionResult check() const;

  /// After a refused call: not even the outputs have changed since reset().
  ::testing::AssertionResult untouched() const;

  Values y() const;
  Values mean() const;
  Values rstd() const;
  const TrialSetup& setup() const noexcept { return setup_; }
  const NormReference& expected() const noexcept { return reference_; }
  const Values& tolerance() const noexcept { return y_tolerance_; }  ///< Of y.
  Memory& memory() const noexcept { return memory_; }

 private:
  enum class Role { input, output };

  /// A tensor of the call; absent without a buffer.
  struct Tensor {
    const char* name = "";
    Role role = Role::output;
    std::unique_ptr<GuardedTensor> buffer{};
    std::vector<std::uint8_t> initial{};  ///< All of it before a call; outputs: NaN.
    std::vector<std::size_t> places{};    ///< Of its elements.
    bool overwritten = false;             ///< An input that an output shares.

    void* data() const { return buffer ? buffer->data() : nullptr; }
    Values values() const;
    void put(const Values& values) const;
    ::testing::AssertionResult is_as_before() const;
    ::testing::AssertionResult gaps_are_as_before() const;
  };

  const Tensor& output_y() const;
  const Tensor& output_sum() const;
  std::array<const Tensor*, 10> tensors() const;
  ::testing::AssertionResult canaries_intact() const;
  ::testing::AssertionResult inputs_unchanged() const;
  ::testing::AssertionResult gaps_unchanged() const;

  TrialSetup setup_;
  Memory& memory_;
  NormReference reference_;
  Values y_tolerance_;
  Tensor x_, residual_, gamma_, beta_, scale_, shift_;
  Tensor y_, sum_, mean_, rstd_;
};

/// A trial over random inputs, with all that the descriptor has room for: gamma, beta, statistics,
/// and (where it asks for them) a residual, scale and shift.
TrialSetup random_trial(const NormDesc& desc, std::uint64_t seed = 1);

/// What a workspace may hold: what a launch could take for a reset one (zeros, ones), for
/// messages and sums that have come (large: as floating point near the type's maximum), or neither.
enum class Garbage { zeros, ones, large, random };
inline constexpr std::array all_garbage = {Garbage::zeros, Garbage::ones, Garbage::large,
                                           Garbage::random};

/// Scratch memory as a careless caller hands it over: full of garbage, with canaries around it.
class GarbageWorkspace {
 public:
  /// Every workspace holds another kind, in turn.
  GarbageWorkspace(Memory& memory, std::size_t bytes);
  GarbageWorkspace(Memory& memory, std::size_t bytes, Garbage garbage);
  void* data() const noexcept { return buffer_.data(); }
  std::size_t size() const noexcept { return buffer_.size(); }
  ::testing::AssertionResult canaries_intact() const { return buffer_.canaries_intact(); }

 private:
  GuardedBuffer<std::uint8_t> buffer_;
};

/// Resets the trial, executes the plan and checks.
::testing::AssertionResult run(const Plan& plan, Trial& trial, Stream stream = {});

/// The same without the check, for results that the reference does not describe.
::testing::AssertionResult execute(const Plan& plan, Trial& trial, Stream stream = {});

/// The same as run() through the free function, with the library's own workspace.
::testing::AssertionResult run_normalize(Trial& trial, const PlanOptions& options,
                                         Stream stream = {});

}  // namespace fastnorm::test
