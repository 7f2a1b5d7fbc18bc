// SPDX-License-Identifier: Apache-2.0
/// Reproducible inputs.
#pragma once

#include "support/oracle.hpp"
#include "support/trial.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace fastnorm::test {

std::vector<float> normal_values(std::size_t count, std::uint64_t seed, float mean = 0,
                                 float deviation = 1);

/// The same as a tensor's values.
Values normal_tensor(std::size_t count, std::uint64_t seed, float mean = 0, float deviation = 1);

/// x whose channels (in layer_norm and rms_norm: stretches of elements) differ in mean and spread,
/// so that statistics of the wrong elements show; gamma and beta; and what the descriptor asks for
/// of residual, scale and shift.
NormInputs random_inputs(const NormDesc& desc, std::uint64_t seed);

/// Draws with equal chances, by one engine for a whole test: the same with every standard library,
/// whose distributions differ. (The remainder prefers small numbers by less than bound / 2^64.)
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t bound) { return engine_() % bound; }
  bool once_in(std::size_t times) { return below(times) == 0; }

  template <class Container>
  auto one_of(const Container& values) {
    return values[below(values.size())];
  }
  std::uint64_t seed() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

/// The shape with element types, a residual and an epilogue drawn from all that NormDesc offers.
NormDesc draw_form(NormDesc shape, Draw& draw);

/// Random inputs in a call drawn from all that the descriptor leaves open: which optional tensors
/// there are, by how much each is misaligned (up to the 8 elements of the widest vector of a 2-byte
/// type), and where the outputs go.
TrialSetup draw_trial(const NormDesc& desc, Draw& draw);

/// All that a failure has to say for being repeated.
std::string describe(const TrialSetup& setup);

}  // namespace fastnorm::test
