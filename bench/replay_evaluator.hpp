// SPDX-License-Identifier: Apache-2.0
/// Answers a search from a recording.
#pragma once

#include "tuner/evaluator.hpp"
#include "tuner/recording.hpp"

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace fastnorm::bench {

/// Each sample is one that was recorded of that contender, drawn by the seed, so that another seed
/// is another run with the same noise.
class ReplayEvaluator final : public tuner::Evaluator {
 public:
  /// `recorded` has to outlive the object.
  ReplayEvaluator(const tuner::RecordedSearch& recorded, std::uint64_t seed);

  Status verify(const tuner::Contender& contender) override;
  Status verify_in_place(const tuner::Contender& contender) override { return verify(contender); }
  Result<std::vector<double>> time(const tuner::Contender& contender,
                                   const measure::SampleLimits& limits) override;
  Status health() override { return {}; }

 private:
  std::map<std::string, const tuner::RecordedTrial*> trials_;  ///< By the contender's text.
  std::mt19937_64 random_;
};

}  // namespace fastnorm::bench
