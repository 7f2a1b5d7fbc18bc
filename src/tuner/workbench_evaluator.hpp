// SPDX-License-Identifier: Apache-2.0
/// Evaluates candidates on a device.
#pragma once

#include "core/backend.hpp"
#include "measure/workbench.hpp"
#include "tuner/evaluator.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fastnorm::tuner {

/// For one problem, which the workbench has loaded.
class WorkbenchEvaluator final : public Evaluator {
 public:
  WorkbenchEvaluator(const Problem& problem, const DeviceInfo& device,
                     measure::Workbench& workbench)
      : problem_(problem), device_(device), workbench_(workbench) {}

  Status verify(const Contender& contender) override;
  Status verify_in_place(const Contender& contender) override;
  Result<std::vector<double>> time(const Contender& contender,
                                   const measure::SampleLimits& limits) override;
  Status health() override { return workbench_.health(); }

 private:
  /// Prepares the candidate's kernels at its first use and keeps them.
  Result<measure::Call> call_of(const Contender& contender);

  const Problem& problem_;
  const DeviceInfo& device_;
  measure::Workbench& workbench_;
  std::map<std::string, std::shared_ptr<const Executable>> prepared_;  ///< By the candidate's text.
};

}  // namespace fastnorm::tuner
