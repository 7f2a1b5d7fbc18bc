// SPDX-License-Identifier: Apache-2.0
// The spaces of all strategies, on devices that need not be there.
#include "backends/cuda/strategies.hpp"
#include "core/backend.hpp"
#include "core/problem.hpp"
#include "some_device.hpp"
#include "support/places.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::cuda {
namespace {

const std::vector<DeviceInfo>& devices() {
  static const std::vector<DeviceInfo> all = {device_of(9, 132, 227), device_of(9, 1, 227),
                                              device_of(9, 20, 99), device_of(8, 108, 163),
                                              device_of(12, 170, 99)};
  return all;
}

/// Rows of every length around which something changes, few and many, none at all, of every type.
std::vector<NormDesc> descs() {
  std::vector<NormDesc> all;
  for (const std::int64_t rows : {0, 1, 2, 31, 132, 5000, 3000000}) {
    for (const std::int64_t length :
         {1,    2,    3,    7,     8,     16,    33,     96,     127,     513,     1027,
          2880, 4096, 8199, 16384, 49999, 65537, 131072, 262144, 2097152, 33030144}) {
      for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
        NormDesc desc = test::layer_norm_desc({rows, length});
        desc.x_type = desc.y_type = desc.affine_type = type;
        all.push_back(desc);
        if (length % 8 == 0) {
          NormDesc with_residual = desc;
          with_residual.residual = Residual::exact_sum;
          all.push_back(with_residual);
        }
      }
    }
  }
  for (const std::int64_t inner : {1, 2, 3, 5, 49, 4096, 262144}) {
    all.push_back(test::group_norm_desc({4, 32, inner}, 8));
    all.push_back(test::instance_norm_desc({112, 64, inner}));
  }
  // Matrices of few positions and many, of groups that are vectors and that are not.
  for (const std::int64_t inner : {1, 49, 64, 1024, 4096, 16384, 300000}) {
    for (const std::int64_t channels : {34, 64, 320, 960, 2560}) {
      const std::int64_t groups = channels == 34 ? 17 : 32;
      const NormDesc last =
          test::channels_last(test::group_norm_desc({2, channels, inner}, groups));
      all.push_back(last);
      all.push_back(test::with_type(last, DType::f16));
      all.push_back(test::with_type(last, DType::f64));
    }
  }
  for (const NormDesc& desc :
       {test::layer_norm_desc({5, 1000}), test::rms_norm_desc({7, 4, 128}),
        test::group_norm_desc({3, 32, 40, 60}, 8), test::instance_norm_desc({2, 6, 33, 31})}) {
    for (const NormDesc& other : test::other_layouts(desc)) all.push_back(other);
  }
  return all;
}

TEST(StrategySpaces, AreDistinctSupportedAndHoldTheDefault) {
  for (const DeviceInfo& device : devices()) {
    for (const NormDesc& desc : descs()) {
      const Problem problem = Problem::create(desc).value();
      for (const KernelVariant* variant : strategies()) {
        const Support support = variant->supports(problem, device);
        if (!support.ok) {
          EXPECT_FALSE(support.reason.empty()) << variant->name();
          continue;
        }
        const auto where = [&] {
          return problem.to_string() + " " + std::string(variant->name()) + " on " +
                 std::to_string(device.processors) + " processors of " +
                 std::to_string(device.compute_capability_major) + ".x";
        };
        const std::vector<Config> configs = variant->configs(problem, device);
        ASSERT_FALSE(configs.empty()) << where();
        const Config standard = variant->default_config(problem, device);
        std::set<std::string> texts;
        for (const Config& config : configs) {
          const Support configured = variant->supports(problem, device, config);
          ASSERT_TRUE(configured.ok)
              << where() << " " << config.text() << ": " << configured.reason;
          const double us = variant->estimate_us(problem, device, config);
          ASSERT_TRUE(std::isfinite(us) && us > 0) << where() << " " << config.text() << ": " << us;
          texts.insert(config.text());
        }
        ASSERT_EQ(texts.size(), configs.size()) << where() << ": some are listed twice";
        ASSERT_EQ(texts.count(standard.text()), 1U) << where() << ": " << standard.text();
      }
    }
  }
}

// A strategy that supports a problem has a configuration for it, however its columns lie over
// vectors, lanes and warps.
TEST(StrategySpaces, HoldADefaultForEveryWidth) {
  const DeviceInfo& device = devices().front();
  std::vector<std::pair<std::int64_t, std::int64_t>> widths;  // Channels and groups.
  for (std::int64_t channels = 1; channels <= 320; ++channels) {
    for (const std::int64_t groups :
         {std::int64_t{1}, std::int64_t{4}, std::int64_t{8}, channels}) {
      if (channels % groups == 0) widths.emplace_back(channels, groups);
    }
  }
  for (std::int64_t channels = 324; channels <= 2600; channels += 36)
    widths.emplace_back(channels, 4);
  for (const auto& [channels, groups] : widths) {
    NormDesc plain = test::channels_last(test::group_norm_desc({2, channels, 1500}, groups));
    NormDesc with_residual = plain;
    with_residual.residual = Residual::rounded_sum;
    for (const NormDesc& form : {plain, with_residual}) {
      for (const DType type : {DType::f16, DType::f32, DType::f64}) {
        const Problem problem = Problem::create(test::with_type(form, type)).value();
        for (const KernelVariant* variant : strategies()) {
          if (!variant->supports(problem, device).ok) continue;
          const Config standard = variant->default_config(problem, device);
          ASSERT_TRUE(standard.has_value()) << problem.to_string() << " " << variant->name();
          const Support support = variant->supports(problem, device, standard);
          ASSERT_TRUE(support.ok) << problem.to_string() << " " << variant->name() << " "
                                  << standard.text() << ": " << support.reason;
        }
      }
    }
  }
}

// A database or a caller may hold any number: each is refused, and none is computed with first.
TEST(StrategySpaces, RefuseNumbersThatNoFieldMayHave) {
  const DeviceInfo& device = devices().front();
  NormDesc desc = test::layer_norm_desc({132, 1024});
  const Problem few = Problem::create(desc).value();
  desc.extents = {132, 65536};
  const Problem many = Problem::create(desc).value();
  const Problem columns =
      Problem::create(test::channels_last(test::group_norm_desc({8, 64, 500}, 8))).value();
  for (const KernelVariant* variant : strategies()) {
    const bool takes_columns = variant->supports(columns, device).ok;
    const Problem& problem =
        takes_columns ? columns : (variant->supports(many, device).ok ? many : few);
    if (!variant->supports(problem, device).ok) continue;
    for (const Config& sound : variant->configs(problem, device)) {
      const ConfigFields fields = sound.fields();
      for (std::size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].value.find_first_not_of("0123456789") != std::string::npos) continue;
        for (const char* value : {"2147483647", "2147483646", "-2147483648", "1073741824", "0"}) {
          ConfigFields spoilt = fields;
          spoilt[i].value = value;
          const Result<Config> config = variant->parse_config(spoilt);
          if (!config.ok()) continue;
          const Support support = variant->supports(problem, device, config.value());
          ASSERT_FALSE(support.ok) << variant->name() << " " << to_string(spoilt);
        }
      }
    }
  }
}

// What other tests rely on that are to meet each of them.
TEST(StrategySpaces, AllForContiguousRowsTakeRowsOf1024) {
  const Problem problem = Problem::create(test::layer_norm_desc({3, 1024})).value();
  for (const KernelVariant* variant : strategies()) {
    if (variant == &resident_columns_variant() || variant == &stream_columns_variant() ||
        variant == &split_columns_variant() || variant == &strided_row_variant()) {
      continue;
    }
    const Support support = variant->supports(problem, devices().front());
    EXPECT_TRUE(support.ok) << variant->name() << ": " << support.reason;
  }
}

TEST(StrategySpaces, AllForColumnsTake16Channels) {
  const NormDesc shape = test::channels_last(test::group_norm_desc({2, 16, 900}, 4));
  for (const test::Types& types : test::offered_types()) {
    const Problem problem = Problem::create(test::with_types(shape, types)).value();
    for (const KernelVariant* variant : {&resident_columns_variant(), &stream_columns_variant(),
                                         &split_columns_variant(), &strided_row_variant()}) {
      const Support support = variant->supports(problem, devices().front());
      EXPECT_TRUE(support.ok) << variant->name() << ": " << support.reason;
    }
  }
}

// Whatever the others refuse.
TEST(StrategySpaces, EitherGeneralStrategyTakesEverything) {
  for (const DeviceInfo& device : devices()) {
    for (const NormDesc& desc : descs()) {
      const Problem problem = Problem::create(desc).value();
      const bool by_block_row = block_row_variant().supports(problem, device).ok;
      const bool by_strided_row = strided_row_variant().supports(problem, device).ok;
      EXPECT_NE(by_block_row, by_strided_row) << problem.to_string();
    }
  }
}

// More samples than a grid has blocks, and more positions or columns than are numbered.
TEST(StrategySpaces, DefaultsAreSupportedForEnormousTensors) {
  const std::int64_t enormous = std::int64_t{3} << 30;
  for (const NormDesc& shape :
       {test::group_norm_desc({enormous, 2, 2}, 1), test::group_norm_desc({1, 4, enormous}, 2),
        test::group_norm_desc({1, enormous, 2}, 1),
        test::group_norm_desc({1 << 20, 1 << 15, 2}, 2)}) {
    const Problem problem =
        Problem::create(test::with_type(test::channels_last(shape), DType::bf16)).value();
    for (const DeviceInfo& device : devices()) {
      bool any = false;
      for (const KernelVariant* variant : strategies()) {
        if (!variant->supports(problem, device).ok) continue;
        any = true;
        const Config config = variant->default_config(problem, device);
        EXPECT_TRUE(variant->supports(problem, device, config).ok)
            << problem.to_string() << " by " << variant->name();
      }
      EXPECT_TRUE(any) << problem.to_string();
    }
  }
}

// As measured: 57.0 us in a cluster in place of 58.4 through memory.
TEST(StrategySpaces, TeamsOfAFewBlocksAreExpectedToExchangeFasterInAClusterThanThroughMemory) {
  const DeviceInfo& device = devices().front();
  NormDesc desc = test::group_norm_desc({100, 264, 25, 34}, 8);
  desc.epilogue.activation = Activation::relu;
  const Problem problem = Problem::create(desc).value();
  if (!stream_row_variant().supports(problem, device).ok) {
    GTEST_SKIP() << "this build has no code with bulk copies";
  }
  const Config standard = stream_row_variant().default_config(problem, device);
  EXPECT_NE(standard.text().find("exchange=cluster"), std::string::npos) << standard.text();
}

}  // namespace
}  // namespace fastnorm::cuda
