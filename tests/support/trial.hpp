/// One call with everything around it: tensors with canaries, poisoned outputs, the reference, and
/// the verdict.
#pragma once

#include "support/guarded_buffer.hpp"
#include "support/memory.hpp"
#include "support/oracle.hpp"

#include <fastnorm/norm.hpp>
#include <fastnorm/plan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace fastnorm::test {

/// By how many elements each tensor lies off its natural boundary.
struct Offsets {
  std::size_t x = 0;
  std::size_t y = 0;
  std::size_t gamma = 0;
  std::size_t beta = 0;
};

enum class Output { separate, in_place };

/// Which of mean and rstd the call asks for.
enum class Statistics { none, mean, rstd, both };

struct TrialSetup {
  NormDesc desc;
  NormInputs inputs;
  Statistics statistics = Statistics::both;
  Output output = Output::separate;
  Offsets offsets;
};

class Trial {
 public:
  Trial(TrialSetup setup, Memory& memory);

  /// Writes the inputs anew and poisons the outputs; then args() are ready for a call.
  void reset();

  NormArgs args() const;

  /// The verdict on the last call: outputs within tolerance, inputs unchanged, canaries intact.
  ::testing::AssertionResult check() const;

  /// After a refused call: not even the outputs have changed since reset().
  ::testing::AssertionResult untouched() const;

  std::vector<float> y() const;
  const TrialSetup& setup() const noexcept { return setup_; }
  const NormReference& expected() const noexcept { return reference_; }
  Memory& memory() const noexcept { return memory_; }

 private:
  using Buffer = GuardedBuffer<float>;

  bool in_place() const noexcept { return setup_.output == Output::in_place; }
  ::testing::AssertionResult canaries_intact() const;
  ::testing::AssertionResult inputs_unchanged() const;

  TrialSetup setup_;
  Memory& memory_;
  NormReference reference_;
  Buffer x_;
  std::unique_ptr<Buffer> y_;  ///< Null in place.
  std::unique_ptr<Buffer> gamma_;
  std::unique_ptr<Buffer> beta_;
  std::unique_ptr<Buffer> mean_;
  std::unique_ptr<Buffer> rstd_;
};

/// A trial over random inputs, with gamma and beta and both statistics.
TrialSetup random_trial(const NormDesc& desc, std::uint64_t seed = 1);

/// Scratch memory as a careless caller hands it over: full of garbage, with canaries around it.
class GarbageWorkspace {
 public:
  GarbageWorkspace(Memory& memory, std::size_t bytes);
  void* data() const noexcept { return buffer_.data(); }
  std::size_t size() const noexcept { return buffer_.size(); }
  ::testing::AssertionResult canaries_intact() const { return buffer_.canaries_intact(); }

 private:
  GuardedBuffer<std::uint8_t> buffer_;
};

/// Resets the trial, executes the plan and checks.
::testing::AssertionResult run(const Plan& plan, Trial& trial, Stream stream = {});

/// The same through the free function, with the library's own workspace.
::testing::AssertionResult run_normalize(Trial& trial, const PlanOptions& options,
                                         Stream stream = {});

}  // namespace fastnorm::test
