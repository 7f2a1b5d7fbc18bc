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
  EXPECT_EQ(refusal(host_rows(), "lanes=32,block=1024,threads=4,store=streaming"), "");
  EXPECT_EQ(refusal(host_rows(), "lanes=16,block=1024,threads=1,store=cached"),
            "lanes=16 must be one of 64, 32");
  EXPECT_EQ(refusal(host_rows(), "lanes=32,block=0,threads=1,store=cached"),
            "block=0 must be one of 1024, 2048, 4096");
  EXPECT_EQ(refusal(host_rows(), "lanes=32,block=1024,threads=5,store=cached"),
            "threads=5 must be from 1 to 4");
  EXPECT_EQ(refusal(host_rows(), "lanes=32,block=1024,threads=1,store=past"),
            "config field store=past must be one of cached, streaming");
  EXPECT_EQ(refusal(host_split_rows(), "lanes=32,block=1024,splits=0,wave=1,store=cached"),
            "splits=0 must be from 1 to 1024");
  EXPECT_EQ(refusal(host_split_rows(), "lanes=32,block=1024,splits=2000,wave=1,store=cached"),
            "splits=2000 must be from 1 to 1024");
  EXPECT_EQ(refusal(host_split_rows(), "lanes=32,block=1024,splits=2,wave=0,store=cached"),
            "wave=0 must be from 1 to 1048576");
  EXPECT_NE(refusal(host_columns(), "splits=1,wave=1,store=cached"), "")
      << "rows that do not lie side by side";
  EXPECT_NE(refusal(host_rows(), "lanes=32"), "");
  EXPECT_NE(refusal(host_rows(), "lanes=32,block=1024,threads=1,store=cached,splits=2"), "");
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

/// Of rows that lie in pieces, which no line is filled with.
TEST(HostStrategies, PiecesAreNotStreamed) {
  const Problem problem = problem_of(test::channels_last(test::group_norm_desc({2, 8, 1000}, 4)));
  for (const KernelVariant* variant : {&host_rows(), &host_split_rows()}) {
    for (const Config& config : variant->configs(problem, host_of(4))) {
      EXPECT_EQ(config.text().find("streaming"), std::string::npos) << config.text();
    }
  }
}

std::string field_of(const Config& config, std::string_view name) {
  for (const ConfigField& field : config.fields()) {
    if (field.name == name) return field.value;
  }
  return "";
}

TEST(HostStrategies, OutputsThatNoCacheHoldsAreStreamed) {
  const auto store = [](const NormDesc& desc) {
    const Problem problem = problem_of(desc);
    return field_of(host_rows().default_config(problem, host_of(4)), "store");
  };
  EXPECT_EQ(store(group_norm_desc({2, 8, 1000}, 4)), "cached");
  EXPECT_EQ(store(group_norm_desc({64, 64, 1 << 14}, 8)), "streaming");
  EXPECT_EQ(store(group_norm_desc({1 << 20, 32, 2}, 32)), "cached") << "rows shorter than a line";
}

/// Though the last cache would hold them: cold calls gain, and repeated ones lose nothing.
TEST(HostStrategies, OutputsThatOnlyASharedCacheHoldsAreStreamed) {
  DeviceInfo host = host_of(16);
  host.private_cache_bytes = std::int64_t{2} << 20;
  host.l2_bytes = std::int64_t{300} << 20;
  const auto store = [&host](const NormDesc& desc) {
    return field_of(host_rows().default_config(problem_of(desc), host), "store");
  };
  EXPECT_EQ(store(test::layer_norm_desc({4096, 1024})), "streaming") << "16 MiB each";
  EXPECT_EQ(store(group_norm_desc({2, 320, 4096}, 32)), "cached") << "10 MiB each, of 32 MiB";
}

/// Few columns, too: positions that are handled as one fill lines.
TEST(HostStrategies, OutputsOfFewColumnsAreStreamed) {
  const NormDesc desc = test::channels_last(test::instance_norm_desc({8, 3, 512 * 512}));
  const Config config = host_columns().default_config(problem_of(desc), host_of(4));
  EXPECT_EQ(field_of(config, "store"), "streaming");
}

TEST(HostStrategies, AFewShortRowsWakeNoThread) {
  const Problem few = problem_of(group_norm_desc({1, 16, 64}, 16));
  EXPECT_EQ(field_of(host_rows().default_config(few, host_of(16)), "threads"), "1");
  const Problem many = problem_of(group_norm_desc({64, 64, 4096}, 16));
  EXPECT_EQ(field_of(host_rows().default_config(many, host_of(16)), "threads"), "16");
}

/// So that a part is still in the cache of the thread that read it.
TEST(HostStrategies, WavesOfLongRowsFitTheCaches) {
  const Problem problem = problem_of(group_norm_desc({4, 8, 1 << 19}, 8));  // Rows of 2 MiB.
  DeviceInfo host = host_of(16);
  host.private_cache_bytes = std::int64_t{1} << 20;
  const int wave = std::stoi(field_of(host_split_rows().default_config(problem, host), "wave"));
  EXPECT_GE(wave, 2);
  EXPECT_LE(wave, 8);
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

/// Long ones, too, if there are many of them: a thread's share of one is then still in its cache
/// when it is written.
TEST(HostStrategies, LongRowsAreSplitAndManyShortOnesAreNot) {
  EXPECT_EQ(chosen(group_norm_desc({1, 2, 1 << 20}, 2), 16), "split_rows");
  EXPECT_EQ(chosen(group_norm_desc({16, 64, 1 << 16}, 8), 16), "split_rows");
  EXPECT_EQ(chosen(group_norm_desc({64, 64, 1 << 14}, 8), 16), "rows");
  EXPECT_EQ(chosen(group_norm_desc({1, 2, 1 << 20}, 2), 1), "rows");
  EXPECT_EQ(chosen(group_norm_desc({1, 8, 100}, 2), 16), "rows");
}

TEST(HostStrategies, DefaultSplitKeepsEveryThreadBusy) {
  const Problem problem = problem_of(group_norm_desc({1, 3, 1 << 20}, 3));
  for (const int threads : {2, 6, 16, 48}) {
    const Config config = host_split_rows().default_config(problem, host_of(threads));
    EXPECT_GE(3 * std::stoi(field_of(config, "splits")), threads) << config.text();
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
    for (const char* rest : {",wave=1,store=streaming", ",wave=2,store=cached",
                             ",wave=3,store=streaming", ",wave=1000,store=cached"}) {
      options.config = "lanes=32,block=1024,splits=" + std::to_string(splits) + rest;
      const Result<Plan> plan = Plan::create(desc, options);
      ASSERT_TRUE(plan.ok()) << plan.status().message();
      EXPECT_TRUE(test::run(plan.value(), trial)) << options.config;
    }
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
      for (const char* rest : {",wave=1,store=streaming", ",wave=2,store=cached"}) {
        options.config = "splits=" + std::to_string(splits) + rest;
        const Result<Plan> plan = Plan::create(desc, options);
        ASSERT_TRUE(plan.ok()) << plan.status().message();
        EXPECT_TRUE(test::run(plan.value(), trial)) << plan.value().describe();
      }
    }
  }
}

/// Of channels-last images, whatever the threads: as columns.
TEST(HostStrategies, RowsSideBySideAreTakenAsColumns) {
  for (const NormDesc& desc : {test::channels_last(group_norm_desc({2, 320, 4096}, 32)),
                               test::channels_last(group_norm_desc({64, 2048, 49}, 32)),
                               test::channels_last(group_norm_desc({8, 3, 100000}, 1)),
                               test::channels_last(group_norm_desc({64, 12, 1000}, 1)),
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
