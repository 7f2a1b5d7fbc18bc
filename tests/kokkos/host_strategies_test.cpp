// SPDX-License-Identifier: Apache-2.0
// What the strategies of kokkos-host offer and refuse. That every configuration computes the right
// thing is the sweeps' business.
#include "backends/kokkos/host_strategies.hpp"

#include "backends/kokkos/host_backend.hpp"
#include "support/shapes.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fastnorm::kokkos {
namespace {

using test::group_norm_desc;

Problem problem_of(const NormDesc& desc) { return Problem::create(desc).value(); }

/// Any number of threads, whatever this machine has.
DeviceInfo host_of(int threads) {
  DeviceInfo info;
  info.memory = MemorySpace::host;
  info.processors = threads;
  info.l2_bytes = std::int64_t{32} << 20;
  return info;
}

std::string refusal(const KernelVariant& variant, const std::string& config) {
  const Problem problem = problem_of(group_norm_desc({2, 8, 1000}, 4));
  const Result<ConfigFields> fields = parse_config_text(config);
  const Result<Config> parsed = variant.parse_config(fields.value());
  if (!parsed.ok()) return parsed.status().message();
  const Support support = variant.supports(problem, host_of(4), parsed.value());
  return support.ok ? "" : support.reason;
}

TEST(HostStrategies, RefusalsNameFieldValueAndWhatIsAllowed) {
  EXPECT_EQ(refusal(host_rows(), "lanes=32,block=1024"), "");
  EXPECT_EQ(refusal(host_rows(), "lanes=16,block=1024"), "lanes=16 must be one of 32, 64");
  EXPECT_EQ(refusal(host_rows(), "lanes=32,block=0"), "block=0 must be one of 1024, 2048, 4096");
  EXPECT_EQ(refusal(host_split_rows(), "lanes=32,block=1024,splits=0"),
            "splits=0 must be from 1 to 1024");
  EXPECT_EQ(refusal(host_split_rows(), "lanes=32,block=1024,splits=2000"),
            "splits=2000 must be from 1 to 1024");
  EXPECT_NE(refusal(host_columns(), "splits=1"), "") << "rows that do not lie side by side";
  EXPECT_NE(refusal(host_rows(), "lanes=32"), "");
  EXPECT_NE(refusal(host_rows(), "lanes=32,block=1024,splits=2"), "");
}

TEST(HostStrategies, LayerNormIsTheSameProblem) {
  for (const NormDesc& desc :
       {test::layer_norm_desc({5}), test::layer_norm_desc({300, 7}),
        test::layer_norm_desc({2, 3, 1031}), test::layer_norm_desc({2, 3, 4, 100}, 2),
        test::layer_norm_desc({1, 40000}), test::layer_norm_desc({17, 1})}) {
    test::Trial trial(test::random_trial(desc), test::host_memory());
    for (const char* strategy : {"rows", "split_rows"}) {
      PlanOptions options;
      options.memory = MemorySpace::host;
      options.backend = "kokkos-host";
      options.strategy = strategy;
      const Result<Plan> plan = Plan::create(desc, options);
      ASSERT_TRUE(plan.ok()) << plan.status().message();
      EXPECT_TRUE(test::run(plan.value(), trial)) << plan.value().describe();
    }
  }
}

TEST(HostStrategies, AnotherStrategysConfigurationIsRefused) {
  const Problem problem = problem_of(group_norm_desc({2, 8, 1000}, 4));
  const Config config = host_rows().default_config(problem, host_of(4));
  EXPECT_FALSE(host_split_rows().supports(problem, host_of(4), config).ok);
}

/// The strategy whose default has the smaller estimate.
std::string_view chosen(const NormDesc& desc, int threads) {
  const Problem problem = problem_of(desc);
  const DeviceInfo host = host_of(threads);
  const auto estimate = [&](const KernelVariant& variant) {
    return variant.estimate_us(problem, host, variant.default_config(problem, host));
  };
  return estimate(host_rows()) <= estimate(host_split_rows()) ? host_rows().name()
                                                              : host_split_rows().name();
}

TEST(HostStrategies, FewLongRowsAreSplitAndManyAreNot) {
  EXPECT_EQ(chosen(group_norm_desc({1, 2, 1 << 20}, 2), 16), "split_rows");
  EXPECT_EQ(chosen(group_norm_desc({16, 64, 1 << 16}, 8), 16), "rows");
  EXPECT_EQ(chosen(group_norm_desc({1, 2, 1 << 20}, 2), 1), "rows");
  EXPECT_EQ(chosen(group_norm_desc({1, 8, 100}, 2), 16), "rows");
}

TEST(HostStrategies, DefaultSplitKeepsEveryThreadBusy) {
  const Problem problem = problem_of(group_norm_desc({1, 3, 1 << 20}, 3));
  for (const int threads : {2, 6, 16, 48}) {
    const Config config = host_split_rows().default_config(problem, host_of(threads));
    for (const ConfigField& field : config.fields()) {
      if (field.name != "splits") continue;
      EXPECT_GE(3 * std::stoi(field.value), threads) << config.text();
    }
  }
}

/// Splits that leave a short last part, more splits than lines in a row, and one.
TEST(HostStrategies, SplitsOfAnyNumber) {
  const NormDesc desc = group_norm_desc({1, 6, 167}, 3);
  test::Trial trial(test::random_trial(desc), test::host_memory());
  for (const int splits : {1, 2, 3, 7, 20, 21, 22, 1000, 1024}) {
    PlanOptions options;
    options.memory = MemorySpace::host;
    options.backend = "kokkos-host";
    options.strategy = "split_rows";
    options.config = "lanes=32,block=1024,splits=" + std::to_string(splits);
    const Result<Plan> plan = Plan::create(desc, options);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_TRUE(test::run(plan.value(), trial)) << options.config;
  }
}

/// The same of positions, and more of those than share a pivot; tiles that end within a group.
TEST(HostStrategies, ColumnsInSplitsOfAnyNumber) {
  for (const NormDesc& desc : {test::channels_last(group_norm_desc({2, 12, 167}, 3)),
                               test::channels_last(group_norm_desc({1, 1530, 70}, 3)),
                               test::channels_last(test::instance_norm_desc({3, 5, 1000}))}) {
    test::Trial trial(test::random_trial(desc), test::host_memory());
    for (const int splits : {1, 2, 3, 7, 1000, 1024}) {
      PlanOptions options;
      options.memory = MemorySpace::host;
      options.backend = "kokkos-host";
      options.strategy = "columns";
      options.config = "splits=" + std::to_string(splits);
      const Result<Plan> plan = Plan::create(desc, options);
      ASSERT_TRUE(plan.ok()) << plan.status().message();
      EXPECT_TRUE(test::run(plan.value(), trial)) << plan.value().describe();
    }
  }
}

/// Of channels-last images, whatever the threads: as columns.
TEST(HostStrategies, RowsSideBySideAreTakenAsColumns) {
  for (const NormDesc& desc : {test::channels_last(group_norm_desc({2, 320, 4096}, 32)),
                               test::channels_last(group_norm_desc({64, 2048, 49}, 32)),
                               test::channels_last(test::instance_norm_desc({1, 32, 100000}))}) {
    for (const int threads : {1, 2, 16, 64}) {
      const Problem problem = problem_of(desc);
      const DeviceInfo host = host_of(threads);
      const auto estimate = [&](const KernelVariant& variant) {
        return variant.estimate_us(problem, host, variant.default_config(problem, host));
      };
      EXPECT_LT(estimate(host_columns()), estimate(host_rows())) << test::to_text(desc);
      EXPECT_LT(estimate(host_columns()), estimate(host_split_rows())) << test::to_text(desc);
    }
  }
}

}  // namespace
}  // namespace fastnorm::kokkos
