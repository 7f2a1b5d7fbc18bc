// F18: database entries that were written for another chip, by another version, or by hand.
#include "core/plan_impl.hpp"
#include "core/tuning_store.hpp"
#include "core/tuning_yaml.hpp"
#include "support/plans.hpp"
#include "support/scoped_environment.hpp"
#include "support/temporary_folder.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace fastnorm::test {
namespace {

class F18ForeignEntries : public TargetTest {
 protected:
  void SetUp() override {
    TargetTest::SetUp();
    if (IsSkipped()) return;
    backend_ = target_backends().front();
    device_ = backend_->device(-1).value();
  }

  void TearDown() override { forget_tuning_db(); }

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

  /// What a plan is with this file as the user's database; its result is checked on the way.
  Origin origin_with(const TuningFile& file) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "user.yaml";
    std::ofstream(path) << to_yaml(file);
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

TEST_F(F18ForeignEntries, AGoodEntryIsTaken) {
  EXPECT_EQ(origin_with(file_with(std::string(some_variant().name()), default_fields())),
            Origin::exact);
}

TEST_F(F18ForeignEntries, UnknownKernel) {
  EXPECT_EQ(origin_with(file_with("warp_per_row_v9", default_fields())), Origin::heuristic);
}

TEST_F(F18ForeignEntries, ImpossibleValues) {
  const ConfigFields good = default_fields();
  for (std::size_t field = 0; field < good.size(); ++field) {
    for (const char* value : {"-7", "0x40", "1e9", "99999999999"}) {
      ConfigFields bad = good;
      bad[field].value = value;
      EXPECT_EQ(origin_with(file_with(std::string(some_variant().name()), bad)), Origin::heuristic)
          << to_string(bad);
    }
  }
}

TEST_F(F18ForeignEntries, BlocksAndVectorsThatNoDeviceHas) {
  for (const ConfigField& impossible :
       {ConfigField{"threads", "2048"}, ConfigField{"vec_width", "3"}, ConfigField{"lanes", "3"}}) {
    ConfigFields bad = default_fields();
    bool has_field = false;
    for (ConfigField& field : bad) {
      if (field.name != impossible.name) continue;
      field.value = impossible.value;
      has_field = true;
    }
    if (!has_field) continue;
    EXPECT_EQ(origin_with(file_with(std::string(some_variant().name()), bad)), Origin::heuristic)
        << to_string(bad);
  }
}

TEST_F(F18ForeignEntries, UnknownDevice) {
  TuningFile file = file_with(std::string(some_variant().name()), default_fields());
  file.device.compute_capability_major = 99;
  file.device.host_cpu += " of another maker";
  EXPECT_EQ(origin_with(file), Origin::heuristic);
}

TEST_F(F18ForeignEntries, OneChipUnderTwoNames) {
  TuningFile file = file_with(std::string(some_variant().name()), default_fields());
  file.device_name = "Reseller's Edition";
  EXPECT_EQ(origin_with(file), Origin::exact);
}

// One name, but another memory (a host: another number of threads), is another device.
TEST_F(F18ForeignEntries, OneNameOnTwoChips) {
  TuningFile file = file_with(std::string(some_variant().name()), default_fields());
  if (target_space() == MemorySpace::device) {
    file.device.memory_gb_s /= 2;
  } else {
    file.device.processors += 1;
  }
  EXPECT_NE(origin_with(file), Origin::exact);
}

}  // namespace
}  // namespace fastnorm::test
