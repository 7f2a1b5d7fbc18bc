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

TEST_F(PlanCacheTest, EveryOptionCounts) {
  PlanCache cache;
  const NormDesc desc = group_norm_desc({2, 8, 16}, 4);
  const Plan::Impl* plain = get(cache, desc);
  options_.deterministic = true;
  EXPECT_NE(get(cache, desc), plain);
  options_ = target_options();
  options_.tuning = Tuning::database;
  EXPECT_NE(get(cache, desc), plain);
  options_.tuning = Tuning::heuristic;
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
