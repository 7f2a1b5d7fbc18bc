// SPDX-License-Identifier: Apache-2.0
// The loops of each instruction set that this build has and this processor runs.
#include "backends/kokkos/host_loops.hpp"

#include "core/enum_values.hpp"
#include "support/plans.hpp"
#include "support/scoped_environment.hpp"
#include "support/shapes.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

namespace fastnorm::kokkos {
namespace {

using test::ScopedEnvironment;

class HostLoopsOf : public ::testing::TestWithParam<HostIsa> {
 protected:
  /// The call by these strategies, on tensors that begin with a line and off that.
  static void expect_right(const NormDesc& desc, const std::vector<std::string>& strategies) {
    const ScopedEnvironment isa("FASTNORM_HOST_ISA", std::string(GetParam().name));
    test::TrialSetup aligned = test::random_trial(desc);
    // The sum is compared to the bit: conversions round as they should.
    if (desc.residual != Residual::none) aligned.sum = test::SumOutput::separate;
    test::TrialSetup off = aligned;
    off.offsets = {1, 3, 1, 2};
    for (const test::TrialSetup& setup : {aligned, off}) {
      test::Trial trial(setup, test::host_memory());
      for (const std::string& strategy : strategies) {
        for (const char* store : {"cached", "streaming"}) {
          PlanOptions options;
          options.memory = MemorySpace::host;
          options.backend = "kokkos-host";
          options.strategy = strategy;
          options.config = std::string(config_of(strategy)) + store;
          const Result<Plan> plan = Plan::create(desc, options);
          ASSERT_TRUE(plan.ok()) << plan.status().message();
          EXPECT_TRUE(test::run(plan.value(), trial)) << plan.value().describe();
        }
      }
    }
  }

  static const char* config_of(const std::string& strategy) {
    if (strategy == "rows") return "lanes=64,block=1024,threads=1,store=";
    if (strategy == "columns") return "splits=3,wave=1,store=";
    return "lanes=32,block=1024,splits=3,wave=1,store=";
  }
};

/// Every type, and each activation, as they lie in memory and through buffers.
TEST_P(HostLoopsOf, RowsOfEveryForm) {
  for (const DType type : all_dtypes) {
    for (const Activation activation : all_activations) {
      NormDesc desc = test::group_norm_desc({2, 6, 501}, 3);
      desc.x_type = desc.y_type = desc.affine_type = type;
      desc.epilogue.activation = activation;
      expect_right(desc, {"rows", "split_rows"});
    }
    for (const Residual residual : {Residual::rounded_sum, Residual::exact_sum}) {
      NormDesc added = test::layer_norm_desc({5, 2100});
      added.x_type = added.y_type = added.affine_type = type;
      added.residual = residual;
      expect_right(added, {"rows", "split_rows"});
    }
  }
}

TEST_P(HostLoopsOf, ColumnsOfEveryForm) {
  for (const DType type : all_dtypes) {
    for (const Activation activation : {Activation::none, Activation::silu}) {
      NormDesc desc = test::channels_last(test::group_norm_desc({2, 70, 131}, 7));
      desc.x_type = desc.y_type = desc.affine_type = type;
      desc.epilogue.activation = activation;
      expect_right(desc, {"columns"});
    }
  }
}

std::string identifier(const ::testing::TestParamInfo<HostIsa>& info) {
  std::string name(info.param.name);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(Isas, HostLoopsOf, ::testing::ValuesIn(runnable_isas()), identifier);

TEST(HostLoops, TheBestOneUnlessTheEnvironmentNamesAnother) {
  const std::vector<HostIsa> all = runnable_isas();
  ASSERT_FALSE(all.empty());
  {
    const ScopedEnvironment none("FASTNORM_HOST_ISA", "");
    EXPECT_EQ(host_isa().value().name, all.back().name);
  }
  for (const HostIsa& isa : all) {
    const ScopedEnvironment named("FASTNORM_HOST_ISA", std::string(isa.name));
    EXPECT_EQ(host_isa().value().name, isa.name);
    EXPECT_EQ(host_isa().value().loops, isa.loops);
  }
}

TEST(HostLoops, AnUnknownNameIsRefusedWithThoseAllowed) {
  const ScopedEnvironment named("FASTNORM_HOST_ISA", "avx9");
  const Status status = host_isa().status();
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  for (const char* part : {"FASTNORM_HOST_ISA=\"avx9\"", "any"}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  }
  PlanOptions options;
  options.memory = MemorySpace::host;
  EXPECT_EQ(Plan::create(test::group_norm_desc({2, 4, 10}, 2), options).status().code(),
            StatusCode::invalid_argument);
}

TEST(HostLoops, OfAnUnknownNameAShortEscapedPieceIsShown) {
  const ScopedEnvironment named("FASTNORM_HOST_ISA", "\x1b[31m\n" + std::string(5000, 'a'));
  const std::string message = host_isa().status().message();
  EXPECT_EQ(message.find("FASTNORM_HOST_ISA=\"\\x1b[31m\\naaa"), 0U) << message;
  EXPECT_NE(message.find("aaa...\" must be one of any"), std::string::npos) << message;
  EXPECT_LT(message.size(), 300U);
}

}  // namespace
}  // namespace fastnorm::kokkos
