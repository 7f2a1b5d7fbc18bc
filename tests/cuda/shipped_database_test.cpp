// SPDX-License-Identifier: Apache-2.0
// The databases that are shipped: whole, and of configurations that the strategies of now know.
#include "backends/cuda/strategies.hpp"
#include "core/backend.hpp"
#include "core/problem.hpp"
#include "core/tuning_db.hpp"
#include "core/tuning_store.hpp"
#include "core/tuning_yaml.hpp"
#include "measure/cases.hpp"
#include "some_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace fastnorm::cuda {
namespace {

std::vector<TuningFile> shipped() {
  std::vector<TuningFile> files;
  for (const ShippedTuningFile& file : shipped_tuning_files()) {
    Result<ParsedTuningFile> parsed = parse_tuning_yaml(file.text, file.name);
    EXPECT_TRUE(parsed.ok()) << file.name << ": " << parsed.status().message();
    if (!parsed.ok()) continue;
    for (const std::string& problem : parsed.value().problems) ADD_FAILURE() << problem;
    files.push_back(std::move(parsed).value().file);
  }
  return files;
}

/// As far as a database knows it.
DeviceInfo device_like(const TuningFile& file) {
  DeviceInfo device = device_of(file.device.compute_capability_major, file.device.processors);
  device.name = file.device_name;
  device.compute_capability_minor = file.device.compute_capability_minor;
  device.l2_bytes = file.device.l2_mib << 20;
  device.memory_gb_s = file.device.memory_gb_s;
  return device;
}

TEST(ShippedDatabases, ServeTheirCasesWithConfigurationsThatAreSupported) {
  const std::vector<measure::Case> cases = measure::shipped_cases().value();
  for (const TuningFile& file : shipped()) {
    if (file.device.compute_capability_major == 0) continue;  // A host's.
    const DeviceInfo device = device_like(file);
    const TuningDb db({file});
    int served = 0;
    for (const measure::Case& workload : cases) {
      const Result<NormDesc> desc = measure::to_desc(workload);
      if (!desc.ok()) continue;
      const Problem problem = Problem::create(desc.value()).value();
      for (const TuningMatch& match : db.lookup(TuningQuery::of(problem, "cuda", device))) {
        if (match.quality != MatchQuality::exact) continue;
        const TuningEntry& entry = *match.entry;
        const auto variant =
            std::find_if(strategies().begin(), strategies().end(),
                         [&](const KernelVariant* one) { return one->name() == entry.strategy; });
        ASSERT_NE(variant, strategies().end()) << workload.name << ": " << entry.strategy;
        const Result<Config> config = (*variant)->parse_config(entry.config);
        ASSERT_TRUE(config.ok()) << workload.name << ": " << config.status().message();
        const Support support = (*variant)->supports(problem, device, config.value());
        EXPECT_TRUE(support.ok) << workload.name << ": " << config.value().text() << ": "
                                << support.reason;
        ++served;
      }
    }
    EXPECT_GT(served, 0) << file.source;
  }
}

}  // namespace
}  // namespace fastnorm::cuda
