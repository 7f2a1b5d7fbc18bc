// SPDX-License-Identifier: Apache-2.0
// Strategies whose blocks wait for each other, on devices that have no room for all of them. The
// devices need not be there: the test answers in the CUDA runtime's place.
#include "backends/cuda/coresidency.hpp"

#include "backends/cuda/cuda_status.hpp"
#include "backends/cuda/strategies.hpp"
#include "core/fake_backend.hpp"
#include "core/plan_impl.hpp"
#include "some_device.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fastnorm::cuda {
namespace {

using test::channels_last;
using test::FakeBackend;
using test::FakeVariant;
using test::group_norm_desc;
using test::layer_norm_desc;

bool contains(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

DeviceInfo device_with(bool cooperative_launch) {
  DeviceInfo device = device_of(9, 132);
  device.cooperative_launch = cooperative_launch;
  return device;
}

/// A device with room for so many blocks of any kernel.
ResidentBlocks room_for(std::int64_t blocks) {
  return [blocks](const KernelLaunch&, const DeviceInfo&) { return Result<std::int64_t>(blocks); };
}

using MakeVariant = std::unique_ptr<const KernelVariant> (*)(ResidentBlocks);

Config parsed(const KernelVariant& variant, const char* config) {
  return variant.parse_config(parse_config_text(config).value()).value();
}

/// What runs in the configuration's place does not ask for room.
void expect_fallback_without_waiting(MakeVariant make, const Problem& problem,
                                     const DeviceInfo& device, const Config& config) {
  bool asked = false;
  const auto variant = make([&asked](const KernelLaunch&, const DeviceInfo&) {
    asked = true;
    return Result<std::int64_t>(0);
  });
  const auto fallback = variant->prepare_fallback(problem, device, config);
  EXPECT_FALSE(asked) << variant->name();
  // Without a device, nothing can be loaded.
  if (fallback.ok()) {
    EXPECT_NE(fallback.value(), nullptr) << variant->name();
  } else {
    EXPECT_NE(fallback.status().code(), StatusCode::unsupported) << fallback.status().message();
  }
}

void expect_none_waits(const KernelVariant& variant, const Problem& problem,
                       const DeviceInfo& device) {
  if (!variant.supports(problem, device).ok) return;
  for (const Config& config : variant.configs(problem, device)) {
    EXPECT_FALSE(variant.needs_coresidency(config)) << variant.name() << " " << config.text();
  }
}

/// Nothing that waits is chosen where the caller excludes it.
void expect_excluded(const NormDesc& desc, const DeviceInfo& device) {
  const FakeBackend backend("cuda", strategies(), device);
  PlanOptions options;
  options.launches = Launches::independent_blocks;
  const Problem problem = Problem::create(desc).value();
  const Result<Selection> selection =
      choose(problem, {{&backend, &backend.device_info()}}, TuningDb(), options);
  ASSERT_TRUE(selection.ok()) << selection.status().message();
  EXPECT_FALSE(selection.value().variant->needs_coresidency(selection.value().config))
      << selection.value().variant->name();
}

/// On a device without them, a team is refused and the default has none.
void expect_cooperative_launches_needed(const KernelVariant& variant, const Problem& problem,
                                        const Config& team) {
  const DeviceInfo without = device_with(false);
  const Support support = variant.supports(problem, without, team);
  EXPECT_FALSE(support.ok);
  EXPECT_TRUE(contains(support.reason, "without cooperative launches")) << support.reason;
  ASSERT_FALSE(variant.configs(problem, without).empty());
  EXPECT_FALSE(variant.needs_coresidency(variant.default_config(problem, without)));
}

/// What works on any device.
class AnyCoresidency : public ::testing::Test {
 protected:
  Result<std::unique_ptr<const Executable>> prepare(const KernelVariant& variant,
                                                    const char* config) const {
    const Config typed = parsed(variant, config);
    const Support support = variant.supports(problem_, device_, typed);
    EXPECT_TRUE(support.ok) << support.reason;
    return variant.prepare(problem_, device_, typed);
  }

  static bool needs_coresidency(const KernelVariant& variant, const char* config) {
    return variant.needs_coresidency(parsed(variant, config));
  }

  static constexpr const char* in_window =
      "blocks_per_row=16,threads=512,vec_width=4,unroll=4,second_read=forward,load=normal,"
      "store=normal";
  static constexpr const char* in_window_alone =
      "blocks_per_row=1,threads=512,vec_width=4,unroll=4,second_read=forward,load=normal,"
      "store=normal";

  const DeviceInfo device_ = device_with(true);
  const Problem problem_ = Problem::create(layer_norm_desc({1024, 65536})).value();
};

class Coresidency : public AnyCoresidency {
 protected:
  void SetUp() override {
    if (const Support support = stream_row_variant().supports(problem_, device_); !support.ok) {
      GTEST_SKIP() << support.reason;
    }
  }

  static constexpr const char* alone =
      "blocks_per_row=1,exchange=memory,slot_kib=16,statistics_warps=4,apply_warps=8,"
      "apply_groups=1,held_percent=100,load=normal,store=normal";
  static constexpr const char* in_teams =
      "blocks_per_row=4,exchange=memory,slot_kib=16,statistics_warps=4,apply_warps=8,"
      "apply_groups=1,held_percent=100,load=normal,store=normal";
  static constexpr const char* in_cluster =
      "cluster=8,threads=512,vec_width=4,unroll=4,load=normal,store=normal";
  static constexpr const char* in_scalar_cluster =
      "cluster=16,threads=512,vec_width=1,unroll=4,load=normal,store=normal";
};

TEST_F(Coresidency, AGridOfTeamsNeedsRoomForAllOfIt) {
  EXPECT_TRUE(prepare(*make_stream_row(room_for(132)), in_teams).ok());
  const Status status = prepare(*make_stream_row(room_for(131)), in_teams).status();
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_TRUE(contains(status.message(), "132 blocks")) << status.message();
  EXPECT_TRUE(contains(status.message(), "a device holds 131")) << status.message();
}

TEST_F(Coresidency, BlocksAloneNeedRoomForOne) {
  EXPECT_TRUE(prepare(*make_stream_row(room_for(1)), alone).ok());
  EXPECT_EQ(prepare(*make_stream_row(room_for(0)), alone).status().code(), StatusCode::unsupported);
}

TEST_F(Coresidency, AClusterNeedsRoomForItself) {
  EXPECT_TRUE(prepare(*make_cluster_row(room_for(8)), in_cluster).ok());
  const Status status = prepare(*make_cluster_row(room_for(0)), in_cluster).status();
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_TRUE(contains(status.message(), "8 blocks")) << status.message();
}

// With less room than it would fill, it has fewer teams.
TEST_F(AnyCoresidency, AWindowNeedsRoomForOneTeam) {
  EXPECT_TRUE(prepare(*make_window_row(room_for(16)), in_window).ok());
  const Status status = prepare(*make_window_row(room_for(15)), in_window).status();
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_TRUE(contains(status.message(), "16 blocks")) << status.message();
  EXPECT_TRUE(contains(status.message(), "a device holds 15")) << status.message();
  EXPECT_TRUE(prepare(*make_window_row(room_for(1)), in_window_alone).ok());
}

TEST_F(Coresidency, TheRuntimesOwnFailuresArePassedOn) {
  const auto fail = [](const KernelLaunch&, const DeviceInfo&) {
    return Result<std::int64_t>(Status(StatusCode::device_error, "no driver"));
  };
  EXPECT_EQ(prepare(*make_stream_row(fail), in_teams).status().message(), "no driver");
  EXPECT_EQ(prepare(*make_cluster_row(fail), in_cluster).status().message(), "no driver");
  EXPECT_EQ(prepare(*make_window_row(fail), in_window).status().message(), "no driver");
}

TEST_F(Coresidency, TheFallbackWaitsForNoOtherBlock) {
  const auto check = [&](MakeVariant make, const char* config) {
    expect_fallback_without_waiting(make, problem_, device_, parsed(*make(room_for(0)), config));
  };
  check(&make_stream_row, in_teams);
  check(&make_cluster_row, in_cluster);
  check(&make_cluster_row, in_scalar_cluster);
  check(&make_window_row, in_window);
}

// The whole way: chosen, found to have no room, and another strategy planned in its place.
TEST_F(Coresidency, APlanFallsToAnotherStrategy) {
  const auto stream_row = make_stream_row(room_for(1));
  const auto cluster_row = make_cluster_row(room_for(0));
  const auto window_row = make_window_row(room_for(0));
  FakeVariant last("last", 1e9);
  const FakeBackend backend("cuda", {stream_row.get(), cluster_row.get(), window_row.get(), &last},
                            device_);
  const Result<Plan> plan =
      create_plan(problem_, {{&backend, &backend.device_info()}}, TuningDb(), {});
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan.value().strategy(), "last");
  const std::string why = plan.value().describe();
  EXPECT_TRUE(contains(why, "stream_row: stream_row_kernel needs ")) << why;
  EXPECT_TRUE(contains(why, "a device holds 1")) << why;
  EXPECT_TRUE(contains(why, "cluster_row: cluster_row_kernel needs ")) << why;
  EXPECT_TRUE(contains(why, "window_row: window_row_kernel needs ")) << why;
}

TEST_F(Coresidency, CallersCanExcludeIt) {
  EXPECT_TRUE(needs_coresidency(stream_row_variant(), in_teams));
  EXPECT_FALSE(needs_coresidency(stream_row_variant(), alone));
  EXPECT_TRUE(needs_coresidency(cluster_row_variant(), in_cluster));
  EXPECT_TRUE(needs_coresidency(window_row_variant(), in_window));
  EXPECT_FALSE(needs_coresidency(window_row_variant(), in_window_alone));
  for (const KernelVariant* variant : strategies()) {
    if (variant == &stream_row_variant() || variant == &cluster_row_variant() ||
        variant == &window_row_variant()) {
      continue;
    }
    expect_none_waits(*variant, problem_, device_);
  }
  for (const NormDesc& desc : {layer_norm_desc({1024, 65536}), layer_norm_desc({1, 1 << 20}),
                               layer_norm_desc({64, 1000})}) {
    expect_excluded(desc, device_);
  }
}

TEST_F(Coresidency, TeamsNeedADeviceWithCooperativeLaunches) {
  // Many rows, and a few for which a team is what one would take.
  const Problem few = Problem::create(layer_norm_desc({2, 1 << 20})).value();
  for (const Problem& problem : {problem_, few}) {
    expect_cooperative_launches_needed(stream_row_variant(), problem,
                                       parsed(stream_row_variant(), in_teams));
    expect_cooperative_launches_needed(window_row_variant(), problem,
                                       parsed(window_row_variant(), in_window));
  }
}

constexpr MakeVariant waiting_column_strategies[] = {&make_resident_columns, &make_stream_columns};

class ColumnsCoresidency : public Coresidency {
 protected:
  std::vector<Config> waiting_configs(const KernelVariant& variant) const {
    std::vector<Config> waiting;
    for (const Config& config : variant.configs(large_, device_)) {
      if (variant.needs_coresidency(config)) waiting.push_back(config);
    }
    EXPECT_FALSE(waiting.empty()) << variant.name();
    return waiting;
  }

  /// Matrices that a block holds, and such that it does not.
  const Problem small_ = Problem::create(channels_last(group_norm_desc({150, 32, 200}, 4))).value();
  const Problem large_ = Problem::create(channels_last(group_norm_desc({6, 64, 2000}, 8))).value();
};

TEST_F(ColumnsCoresidency, EveryConfigurationNeedsRoomForAllThatWait) {
  for (const MakeVariant make : waiting_column_strategies) {
    std::int64_t wanted = 0;
    const auto variant = make([&wanted](const KernelLaunch& launch, const DeviceInfo&) {
      wanted = launch.blocks_at_once();
      return Result<std::int64_t>(wanted);
    });
    for (const Problem* problem : {&small_, &large_}) {
      for (const Config& config : variant->configs(*problem, device_)) {
        SCOPED_TRACE(std::string(variant->name()) + " " + config.text());
        EXPECT_TRUE(variant->prepare(*problem, device_, config).ok());
        EXPECT_EQ(wanted > 1, variant->needs_coresidency(config));
        const Status status =
            make(room_for(wanted - 1))->prepare(*problem, device_, config).status();
        EXPECT_EQ(status.code(), StatusCode::unsupported);
        EXPECT_TRUE(contains(status.message(), std::to_string(wanted) + " blocks"))
            << status.message();
        EXPECT_TRUE(contains(status.message(), "a device holds " + std::to_string(wanted - 1)))
            << status.message();
      }
    }
  }
}

TEST_F(ColumnsCoresidency, TheFallbackWaitsForNoOtherBlock) {
  for (const MakeVariant make : waiting_column_strategies) {
    const std::vector<Config> waiting = waiting_configs(*make(room_for(0)));
    for (const Config& config : {waiting.front(), waiting.back()}) {
      expect_fallback_without_waiting(make, large_, device_, config);
    }
  }
}

TEST_F(ColumnsCoresidency, APlanFallsToAnotherStrategy) {
  const auto resident_columns = make_resident_columns(room_for(0));
  const auto stream_columns = make_stream_columns(room_for(1));
  FakeVariant last("last", 1e9);
  const FakeBackend backend("cuda", {resident_columns.get(), stream_columns.get(), &last}, device_);
  const Result<Plan> plan =
      create_plan(large_, {{&backend, &backend.device_info()}}, TuningDb(), {});
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan.value().strategy(), "last");
  const std::string why = plan.value().describe();
  EXPECT_TRUE(contains(why, "resident_columns: resident_columns_kernel needs ")) << why;
  EXPECT_TRUE(contains(why, "stream_columns: stream_columns_kernel needs ")) << why;
}

TEST_F(ColumnsCoresidency, CallersCanExcludeIt) {
  for (const KernelVariant* variant : strategies()) {
    if (variant == &resident_columns_variant() || variant == &stream_columns_variant()) {
      continue;
    }
    expect_none_waits(*variant, large_, device_);
  }
  for (const Problem* problem : {&small_, &large_}) expect_excluded(problem->desc(), device_);
}

TEST_F(ColumnsCoresidency, TeamsNeedADeviceWithCooperativeLaunches) {
  const KernelVariant& variant = stream_columns_variant();
  const std::vector<Config> waiting = waiting_configs(variant);
  for (const Config& team : {waiting.front(), waiting.back()}) {
    expect_cooperative_launches_needed(variant, large_, team);
  }
}

TEST(CudaStatus, ALackOfRoomIsNoDeviceError) {
  EXPECT_EQ(code_of(cudaErrorCooperativeLaunchTooLarge), StatusCode::unsupported);
  EXPECT_EQ(code_of(cudaErrorInvalidClusterSize), StatusCode::unsupported);
  EXPECT_EQ(code_of(cudaErrorMemoryAllocation), StatusCode::out_of_memory);
  EXPECT_EQ(code_of(cudaErrorInvalidConfiguration), StatusCode::device_error);
}

}  // namespace
}  // namespace fastnorm::cuda
