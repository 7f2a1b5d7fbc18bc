/// Measures on a device, and stores in its database file.
#pragma once

#include "core/dispatcher.hpp"
#include "measure/workbench.hpp"
#include "tuner/tuning_site.hpp"
#include "tuner/workbench_evaluator.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace fastnorm::tuner {

class DeviceSite final : public TuningSite {
 public:
  /// `utc` is the date that the entries get; the seed is the data's. The references have to outlive
  /// the object.
  DeviceSite(const Candidate& target, measure::Workbench& workbench, std::filesystem::path file,
             std::string utc, std::uint64_t seed)
      : target_(target),
        workbench_(workbench),
        file_(std::move(file)),
        utc_(std::move(utc)),
        seed_(seed) {}

  Result<CaseStart> begin(const Job& job) override;
  Evaluator& evaluator() override { return *evaluator_; }
  Status store(const std::vector<TuningEntry>& winners) override;
  Status health() override { return workbench_.health(); }

 private:
  const Candidate& target_;
  measure::Workbench& workbench_;
  std::filesystem::path file_;
  std::string utc_;
  std::uint64_t seed_;
  std::optional<WorkbenchEvaluator> evaluator_;
};

}  // namespace fastnorm::tuner
