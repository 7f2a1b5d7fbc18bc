// SPDX-License-Identifier: Apache-2.0
/// A database of the user's that somebody else has written.
#pragma once

#include "core/tuning_store.hpp"
#include "support/plans.hpp"
#include "support/scoped_environment.hpp"
#include "support/temporary_folder.hpp"
#include "support/trial.hpp"

#include <fastnorm/plan.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace fastnorm::test {

/// Plans one problem beside such a database.
class UserDatabaseTest : public TargetTest {
 protected:
  void SetUp() override {
    TargetTest::SetUp();
    if (IsSkipped()) return;
    backend_ = target_backends().front();
    device_ = backend_->device(-1).value();
  }

  void TearDown() override { forget_tuning_db(); }

  /// What a plan is with this text as the user's database; its result is checked on the way.
  Origin origin_with(const std::string& text) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "user.yaml";
    std::ofstream(path, std::ios::binary) << text;
    const ScopedEnvironment user("FASTNORM_TUNING_DB", path.string());
    forget_tuning_db();

    PlanOptions options = target_options(*backend_);
    options.tuning = Tuning::database;
    const Result<Plan> plan = Plan::create(desc_, options);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    if (!plan.ok()) return Origin::forced;
    Trial trial(random_trial(desc_), target_memory());
    EXPECT_TRUE(run(plan.value(), trial));
    return plan.value().impl().selection.origin;
  }

  /// A file with this entry for the problem, as the tuner writes it on this device.
  TuningFile file_with(const std::string& strategy, ConfigFields config) const {
    TuningEntry entry;
    entry.key.backend = backend_->name();
    entry.shape = TuningShape::of(Problem::create(desc_).value());
    entry.strategy = strategy;
    entry.config = std::move(config);
    entry.key.deterministic = true;
    entry.stats = {5, 0.1, 30, 10, 4};
    TuningFile file;
    file.device_name = device_->name;
    file.device = DeviceKey::of(*device_);
    file.entries = {entry};
    return file;
  }

  const KernelVariant& some_variant() const {
    const Problem problem = Problem::create(desc_).value();
    for (const KernelVariant* variant : backend_->variants()) {
      if (variant->deterministic() && variant->supports(problem, *device_).ok) return *variant;
    }
    throw std::logic_error("no deterministic strategy");
  }

  ConfigFields default_fields() const {
    return some_variant().default_config(Problem::create(desc_).value(), *device_).fields();
  }

  NormDesc desc_ = group_norm_desc({3, 12, 4, 31}, 3);
  const Backend* backend_ = nullptr;
  const DeviceInfo* device_ = nullptr;
};

}  // namespace fastnorm::test
