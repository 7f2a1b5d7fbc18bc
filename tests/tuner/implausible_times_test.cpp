// SPDX-License-Identifier: Apache-2.0
// Times that cannot be, on the way from a workbench to the search.
#include "measure/faulty_space.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "tuner/workbench_evaluator.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace fastnorm::tuner {
namespace {

class ImplausibleTimes : public test::TargetTest {
 protected:
  void SetUp() override {
    test::TargetTest::SetUp();
    if (IsSkipped()) return;
    const Backend& backend = *test::target_backends().front();
    const DeviceInfo& device = *backend.device(-1).value();
    auto space =
        std::make_unique<test::FaultySpace>(measure::make_host_space(device).value(), faults_);
    workbench_ = std::make_unique<measure::Workbench>(std::move(space));
    ASSERT_TRUE(workbench_->load(problem_.desc(), measure::Affine::present, 1).ok());
    evaluator_ = std::make_unique<WorkbenchEvaluator>(problem_, device, *workbench_);
    const KernelVariant* variant = backend.variants().front();
    contender_ = {variant, variant->default_config(problem_, device)};
  }

  Status time() { return evaluator_->time(contender_, {5, 5, 0}).status(); }

  const Problem problem_ = Problem::create(test::layer_norm_desc({256, 1000})).value();
  test::Faults faults_;
  std::unique_ptr<measure::Workbench> workbench_;
  std::unique_ptr<WorkbenchEvaluator> evaluator_;
  Contender contender_{};
};

TEST_F(ImplausibleTimes, AreFailuresOfTheirCandidate) {
  EXPECT_TRUE(time().ok()) << time().message();
  faults_.time_factor = 0;
  EXPECT_EQ(time().message(), "measured in no time at all");
  faults_.time_factor = 1e-3;
  const Status status = time();
  EXPECT_EQ(status.code(), StatusCode::device_error);
  EXPECT_NE(status.message().find("where a copy of the same bytes takes"), std::string::npos)
      << status.message();
  EXPECT_TRUE(evaluator_->health().ok()) << "and of nothing else";
}

}  // namespace
}  // namespace fastnorm::tuner
