// SPDX-License-Identifier: Apache-2.0
#include "core/plan_cache.hpp"

#include "core/plan_impl.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

namespace fastnorm {
namespace {

using test::group_norm_desc;
using test::target_options;

// Needs a back end, since it is real plans that are kept.
class PlanCacheTest : public test::TargetTest {
 protected:
  const Plan::Impl* get(PlanCache& cache, const NormDesc& desc) {
    const Result<Plan> plan = cache.get(desc, options_, here_);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    return &plan.value().impl();
  }

  PlanOptions options_ = target_options();
  Placement here_{target_options().memory, 0};
};

TEST_F(PlanCacheTest, OneDescriptorHasOnePlan) {
  PlanCache cache;
  const NormDesc desc = group_norm_desc({2, 8, 16}, 4);
  EXPECT_EQ(get(cache, desc), get(cache, desc));
  EXPECT_EQ(cache.size(), 1U);
}

TEST_F(PlanCacheTest, EveryFieldOfTheDescriptorCounts) {
  PlanCache cache;
  std::vector<NormDesc> descs = {group_norm_desc({2, 8, 16}, 4),
                                 group_norm_desc({2, 8, 4, 4}, 4),
                                 group_norm_desc({1, 8, 16}, 4),
                                 group_norm_desc({2, 8, 16}, 2),
                                 group_norm_desc({2, 8, 16}, 8),
                                 test::instance_norm_desc({2, 8, 16}),
                                 group_norm_desc({2, 8, 16}, 4, std::nextafter(1e-5, 1))};
  for (std::size_t i = 0; i < descs.size(); ++i) {
    get(cache, descs[i]);
    EXPECT_EQ(cache.size(), i + 1) << test::to_text(descs[i]);
  }
}

// Strides that mean the same dense tensors, so that every back end has plans for them.
TEST_F(PlanCacheTest, StridesTellPlansApart) {
  const auto strided = [](const Strides& x, const Strides& y) {
    NormDesc desc = group_norm_desc({1, 8, 16}, 4);
    desc.x_strides = x;
    desc.y_strides = y;
    return desc;
  };
  std::vector<NormDesc> descs = {strided({}, {}),
                                 strided({128, 16, 1}, {}),
                                 strided({}, {128, 16, 1}),
                                 strided({128, 16, 1}, {128, 16, 1}),
                                 strided({256, 16, 1}, {128, 16, 1}),
                                 strided({128, 16, 1}, {256, 16, 1})};
  NormDesc one_channel = group_norm_desc({2, 1, 16}, 1);
  descs.push_back(one_channel);
  one_channel.layout = Layout::channels_last;
  descs.push_back(one_channel);
  PlanCache cache;
  std::vector<const Plan::Impl*> plans;
  for (const NormDesc& desc : descs) plans.push_back(get(cache, desc));
  EXPECT_EQ(cache.size(), descs.size());
  for (std::size_t i = 0; i < descs.size(); ++i) {
    EXPECT_EQ(get(cache, descs[i]), plans[i]) << plans[i]->problem.to_string();
    EXPECT_TRUE(plans[i]->problem.desc().x_strides == descs[i].x_strides);
    EXPECT_TRUE(plans[i]->problem.desc().y_strides == descs[i].y_strides);
  }
}

// Types, residuals and epilogues of which this memory's back ends may offer none: what is looked up
// differs, whether or not there is a plan for it.
TEST_F(PlanCacheTest, NoPlanServesForAnotherEpilogue) {
  const NormDesc plain = group_norm_desc({2, 8, 16}, 4);
  const auto changed = [&](auto change) {
    NormDesc desc = plain;
    change(desc);
    return desc;
  };
  const auto clamp_to = [](NormDesc& desc, float lower, float upper) {
    desc.epilogue.activation = Activation::clamp;
    desc.epilogue.lower = lower;
    desc.epilogue.upper = upper;
  };
  const NormDesc descs[] = {
      plain,
      changed([](NormDesc& d) { d.y_type = DType::f16; }),
      changed([](NormDesc& d) { d.x_type = DType::f16; }),
      changed([](NormDesc& d) { d.residual = Residual::rounded_sum; }),
      changed([](NormDesc& d) { d.residual = Residual::exact_sum; }),
      changed([](NormDesc& d) { d.epilogue.activation = Activation::silu; }),
      changed([](NormDesc& d) { d.epilogue.activation = Activation::leaky_relu; }),
      changed([](NormDesc& d) {
        d.epilogue.activation = Activation::leaky_relu;
        d.epilogue.slope = std::nextafter(0.01F, 1.0F);
      }),
      changed([](NormDesc& d) { d.epilogue.activation = Activation::elu; }),
      changed([](NormDesc& d) {
        d.epilogue.activation = Activation::elu;
        d.epilogue.alpha = 2;
      }),
      changed([&](NormDesc& d) { clamp_to(d, -1, 1); }),
      changed([&](NormDesc& d) { clamp_to(d, 0, 1); }),
      changed([&](NormDesc& d) { clamp_to(d, -0.0F, 1); }),
      changed([&](NormDesc& d) { clamp_to(d, 0, 2); }),
      changed([](NormDesc& d) { d.epilogue.gamma = GammaForm::centred_zero; }),
      changed([](NormDesc& d) { d.epilogue.normalised = NormalisedRounding::affine_type; }),
      changed([](NormDesc& d) { d.epilogue.modulation = Modulation::scale_shift; }),
      changed([](NormDesc& d) {
        d.op = Op::layer_norm;
        d.groups = 1;
      }),
      changed([](NormDesc& d) {
        d.op = Op::layer_norm;
        d.groups = 1;
        d.normalized_rank = 2;
      }),
      changed([](NormDesc& d) {
        d.op = Op::rms_norm;
        d.groups = 1;
        d.normalized_rank = 2;
      }),
  };
  PlanCache cache;
  std::size_t plans = 0;
  for (const NormDesc& desc : descs) {
    for (const bool again : {false, true}) {
      const Result<Plan> plan = cache.get(desc, options_, here_);
      if (!plan.ok()) {
        EXPECT_EQ(plan.status().code(), StatusCode::unsupported) << plan.status().message();
        continue;
      }
      plans += again ? 0 : 1;
      EXPECT_EQ(plan.value().impl().problem.to_string(), Problem::create(desc).value().to_string());
    }
    EXPECT_EQ(cache.size(), plans) << test::to_text(desc);
  }
  EXPECT_GE(plans, 3U) << "every back end has group_norm and layer_norm in f32";
}

TEST_F(PlanCacheTest, EveryOptionCounts) {
  PlanCache cache;
  const NormDesc desc = group_norm_desc({2, 8, 16}, 4);
  const Plan::Impl* plain = get(cache, desc);
  options_.deterministic = true;
  EXPECT_NE(get(cache, desc), plain);
  options_ = target_options();
  options_.tuning = Tuning::database;
  EXPECT_NE(get(cache, desc), plain);
  options_ = target_options();
  options_.launches = Launches::independent_blocks;
  EXPECT_NE(get(cache, desc), plain);
  options_ = target_options();
  options_.backend = test::target_backends().front()->name();
  EXPECT_NE(get(cache, desc), plain);
  options_ = target_options();
  EXPECT_EQ(get(cache, desc), plain);
  here_.device = -1;
  EXPECT_NE(get(cache, desc), plain);
}

TEST_F(PlanCacheTest, FailuresAreNotKept) {
  PlanCache cache;
  EXPECT_FALSE(cache.get(group_norm_desc({2, 8, 16}, 3), options_, here_).ok());
  EXPECT_EQ(cache.size(), 0U);
}

TEST_F(PlanCacheTest, IsBoundedAndKeepsWhatIsUsed) {
  constexpr std::size_t generation = 8;
  PlanCache cache(generation);
  const NormDesc used = group_norm_desc({2, 8, 16}, 4);
  const Plan::Impl* plan = get(cache, used);
  for (std::int64_t length = 1; length < 200; ++length) {
    get(cache, group_norm_desc({2, 8, length}, 2));
    ASSERT_EQ(get(cache, used), plan) << "after " << length << " others";
    ASSERT_LE(cache.size(), 2 * generation);
  }
}

TEST_F(PlanCacheTest, ClearForgets) {
  PlanCache cache;
  get(cache, group_norm_desc({2, 8, 16}, 4));
  cache.clear();
  EXPECT_EQ(cache.size(), 0U);
}

TEST_F(PlanCacheTest, ThreadsAgreeOnOnePlan) {
  // Small, so that generations turn over while others look up.
  PlanCache cache(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const std::int64_t length = 1 + (i + t) % 13;
        const Result<Plan> plan = cache.get(group_norm_desc({2, 4, length}, 2), options_, here_);
        ASSERT_TRUE(plan.ok()) << plan.status().message();
        ASSERT_EQ(plan.value().impl().problem.inner(), length);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(cache.size(), 8U);
}

}  // namespace
}  // namespace fastnorm
