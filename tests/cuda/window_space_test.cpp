// SPDX-License-Identifier: Apache-2.0
// What window_row proposes, and when it is chosen.
#include "backends/cuda/hopper_code.hpp"
#include "backends/cuda/row_config.hpp"
#include "backends/cuda/strategies.hpp"
#include "core/backend.hpp"
#include "core/fake_backend.hpp"
#include "core/plan_impl.hpp"
#include "core/problem.hpp"
#include "some_device.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace fastnorm::cuda {
namespace {

using test::FakeBackend;
using test::group_norm_desc;
using test::instance_norm_desc;

constexpr std::int64_t mib = std::int64_t{1} << 20;

/// Rows of eight channels, in fp32.
Problem problem_of(std::int64_t rows, std::int64_t row_bytes) {
  return Problem::create(group_norm_desc({rows, 8, row_bytes / 32}, 1)).value();
}

std::string heuristic(const Problem& problem, const DeviceInfo& device) {
  const FakeBackend backend("cuda", strategies(), device);
  const Result<Selection> selection =
      choose(problem, {{&backend, &backend.device_info()}}, TuningDb(), {});
  EXPECT_TRUE(selection.ok()) << selection.status().message();
  return selection.ok() ? std::string(selection.value().variant->name()) : std::string();
}

double default_us(const KernelVariant& variant, const Problem& problem, const DeviceInfo& device) {
  return variant.estimate_us(problem, device, variant.default_config(problem, device));
}

/// As those are that have neither clusters nor bulk copies.
DeviceInfo older_device() {
  DeviceInfo device = device_of(8, 108, 163);
  device.l2_bytes = 40 * mib;
  device.memory_gb_s = 2039;
  return device;
}

int default_team(const Problem& problem, const DeviceInfo& device) {
  return window_row_variant().default_config(problem, device).get<WindowConfig>()->blocks_per_row;
}

// Two rows of each team are to lie in the L2 beside what is written, and all processors to work.
TEST(WindowSpace, LongerRowsHaveLargerTeams) {
  const DeviceInfo device = device_of(9, 132);
  int before = 0;
  for (const std::int64_t row_kib : {256, 1024, 4096, 16384}) {
    const int team = default_team(problem_of(2048, row_kib * 1024), device);
    EXPECT_GE(team, before) << row_kib << " KiB";
    EXPECT_LE(team, device.processors) << row_kib << " KiB";
    before = team;
  }
  EXPECT_GT(before, device.processors / 2);
}

TEST(WindowSpace, FewRowsKeepTheProcessorsBusy) {
  const DeviceInfo device = older_device();
  for (const std::int64_t rows : {1, 2, 4}) {
    EXPECT_GE(rows * default_team(problem_of(rows, 2 * mib), device) * 2, device.processors)
        << rows << " rows";
  }
}

// On an H200 two reads from memory without any exchange between blocks were faster by 10% to 50% on
// long rows of fp32: kb1_34, kb1_35, kb2_19 and the decoder of SDXL.
TEST(WindowSpace, ComesBehindTwoReadsAsItWasMeasured) {
  DeviceInfo device = device_of(9, 132);
  device.l2_bytes = 60 * mib;
  device.memory_gb_s = 4814;
  for (const NormDesc& desc :
       {instance_norm_desc({112, 64, 512, 512}), group_norm_desc({112, 64, 512, 512}, 8),
        group_norm_desc({128, 64, 258, 258}, 8), group_norm_desc({1, 512, 512, 512}, 32)}) {
    const Problem problem = Problem::create(desc).value();
    EXPECT_GT(default_us(window_row_variant(), problem, device),
              default_us(split_two_kernel_variant(), problem, device))
        << problem.to_string();
  }
}

TEST(WindowSpace, StrategiesThatReadOnceArePreferred) {
  const DeviceInfo device = device_of(9, 132);
  if (!supports_hopper_code(device, "its rivals").ok) GTEST_SKIP() << "this build has no rivals";
  for (const std::int64_t row_bytes : {mib / 256, mib / 16, mib / 4, mib, 4 * mib, 16 * mib}) {
    for (const std::int64_t rows : {1, 8, 64, 1024}) {
      EXPECT_NE(heuristic(problem_of(rows, row_bytes), device), "window_row")
          << rows << " rows of " << row_bytes << " bytes";
    }
  }
}

}  // namespace
}  // namespace fastnorm::cuda
