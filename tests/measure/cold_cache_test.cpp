// SPDX-License-Identifier: Apache-2.0
// Times of a device's calls are those of cold caches, whatever ran before.
#include "measure/workbench.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace fastnorm::measure {
namespace {

class ColdCache : public test::TargetTest {
 protected:
  void SetUp() override {
    test::TargetTest::SetUp();
    if (IsSkipped()) return;
    // Half of an H200's L2 would hold x.
    desc_ = test::instance_norm_desc({2, 128, 32768});
    desc_.x_type = desc_.y_type = desc_.affine_type = DType::f16;
    auto made = make_workbench(*test::target_backends().front()->device(-1).value());
    ASSERT_TRUE(made.ok()) << made.status().message();
    workbench_ = std::move(made).value();
    const Status status = workbench_->load(desc_, Affine::absent, 1);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  Plan plan_with(const std::string& load) const {
    PlanOptions options;
    options.backend = "cuda";
    options.strategy = "resident_row";
    options.config = "threads=512,vec_width=8,unroll=8,load=" + load + ",store=normal";
    return Plan::create(desc_, options).value();
  }

  double time(const Plan& plan) {
    const auto samples = workbench_->time(call_of(plan), SampleLimits{101, 101, 1});
    EXPECT_TRUE(samples.ok()) << samples.status().message();
    return samples.ok() ? median(samples.value()) : 0;
  }

  NormDesc desc_;
  std::unique_ptr<Workbench> workbench_;
};

/// Loads at evict_last leave lines that ordinary accesses do not displace.
TEST_F(ColdCache, LinesThatACallBeforeAskedToKeepAreGone) {
  const Plan normal = plan_with("normal");
  const Plan keeping = plan_with("evict_last");
  const double before = time(normal);
  time(keeping);
  EXPECT_NEAR(time(normal) / before, 1, 0.03);
}

/// Nor does a call find what its own run before has left, which would spare it a quarter of its
/// reads. Loads at evict_last are faster by 3 to 5% than ordinary ones from a cold L2, too, where
/// the flush's lines have to be written back.
TEST_F(ColdCache, TheSecondRunIsAsColdAsTheFirst) {
  const double normal = time(plan_with("normal"));
  EXPECT_GT(time(plan_with("evict_last")) / normal, 0.93);
}

}  // namespace
}  // namespace fastnorm::measure
