/// Reproducible inputs.
#pragma once

#include "support/oracle.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fastnorm::test {

std::vector<float> normal_values(std::size_t count, std::uint64_t seed, float mean = 0,
                                 float deviation = 1);

/// x whose channels differ in mean and spread, so that statistics of the wrong channels show, with
/// a gamma and a beta per channel.
NormInputs random_inputs(const NormDesc& desc, std::uint64_t seed);

}  // namespace fastnorm::test
