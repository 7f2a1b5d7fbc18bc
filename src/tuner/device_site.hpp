// SPDX-License-Identifier: Apache-2.0
/// Measures on a device, in another process, and stores in its database file.
#pragma once

#include "core/dispatcher.hpp"
#include "measure/space.hpp"
#include "tuner/tuning_site.hpp"
#include "tuner/worker.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace fastnorm::tuner {

class DeviceSite final : public TuningSite {
 public:
  /// The worker measures on the target's device, which has that software below it. `utc` is the
  /// date that the entries get; the seed is the data's. The references have to outlive the object.
  DeviceSite(const Candidate& target, Worker& worker, measure::Software software,
             std::filesystem::path file, std::string utc, std::uint64_t seed)
      : target_(target),
        worker_(worker),
        software_(std::move(software)),
        file_(std::move(file)),
        utc_(std::move(utc)),
        seed_(seed) {}

  Result<CaseStart> begin(const Job& job) override;
  Evaluator& evaluator() override { return worker_; }
  Status store(const std::vector<TuningEntry>& winners) override;
  Status restore(const std::vector<TuningEntry>& winners) override;
  Status health() override { return worker_.process_health(); }

 private:
  const Candidate& target_;
  Worker& worker_;
  measure::Software software_;
  std::filesystem::path file_;
  std::string utc_;
  std::uint64_t seed_;
};

}  // namespace fastnorm::tuner
