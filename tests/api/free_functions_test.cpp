// group_norm and instance_norm as a program calls them.
#include "support/guarded_buffer.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

class FreeFunctions : public TargetTest {
 protected:
  FreeFunctions() { options_.plan = target_options(); }
  NormOptions options_;
};

TEST_F(FreeFunctions, GroupNorm) {
  GuardedBuffer<float> x(target_memory(), 4);
  GuardedBuffer<float> y(target_memory(), 4);
  x.write({1, 2, 3, 4});
  const Status status = group_norm({1, 4}, 1, x.data(), y.data(), nullptr, nullptr, options_);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(all_within("y", y.read(), {-1.341635, -0.447212, 0.447212, 1.341635},
                         std::vector<double>(4, 2e-5)));
}

TEST_F(FreeFunctions, GroupNormWithEverything) {
  options_.eps = 0.5;
  Trial trial(random_trial(group_norm_desc({2, 6, 35}, 3, options_.eps)), target_memory());
  const NormArgs args = trial.args();
  options_.mean = static_cast<float*>(args.mean);
  options_.rstd = static_cast<float*>(args.rstd);
  const Status status = group_norm(
      {2, 6, 35}, 3, static_cast<const float*>(args.x), static_cast<float*>(args.y),
      static_cast<const float*>(args.gamma), static_cast<const float*>(args.beta), options_);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(trial.check());
}

TEST_F(FreeFunctions, InstanceNormOnAStream) {
  TargetStream stream;
  options_.stream = stream.get();
  Trial trial(random_trial(instance_norm_desc({2, 6, 5, 7})), target_memory());
  const NormArgs args = trial.args();
  options_.mean = static_cast<float*>(args.mean);
  options_.rstd = static_cast<float*>(args.rstd);
  const Status status = instance_norm(
      {2, 6, 5, 7}, static_cast<const float*>(args.x), static_cast<float*>(args.y),
      static_cast<const float*>(args.gamma), static_cast<const float*>(args.beta), options_);
  ASSERT_TRUE(status.ok()) << status.message();
  stream.synchronize();
  EXPECT_TRUE(trial.check());
}

TEST_F(FreeFunctions, PointersDecideWhereToRun) {
  Trial trial(random_trial(group_norm_desc({2, 6, 35}, 3)), target_memory());
  PlanOptions options;
  options.tuning = Tuning::heuristic;
  EXPECT_TRUE(run_normalize(trial, options));
}

}  // namespace
}  // namespace fastnorm::test
