// SPDX-License-Identifier: Apache-2.0
// Blocks that wait for each other need room for all of them at once. While another kernel holds
// most of the device they have to wait for it, all together: it must not be that some begin and
// hold what the others need.
#include "core/backend.hpp"
#include "core/problem.hpp"
#include "cuda_target.hpp"
#include "spinning_grid.hpp"
#include "support/plans.hpp"
#include "support/shapes.hpp"
#include "support/trial.hpp"
#include "time_limit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace fastnorm::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

struct Work {
  const char* strategy;
  NormDesc desc;
};

/// How the other kernel makes room: all at once, or one processor after the other.
struct Release {
  const char* name;
  SpinLimits limits;
};

class BusyDevice : public TargetTestWithParam<std::tuple<Work, Release>> {
 protected:
  /// An execution on a stream of its own.
  class Execution {
   public:
    Execution(const Plan& plan, std::uint64_t seed)
        : plan_(plan),
          trial_(random_trial(work().desc, seed), target_memory()),
          workspace_(target_memory(), plan.workspace_bytes()) {
      trial_.reset();
    }

    Status enqueue() {
      return plan_.execute(trial_.args(), workspace_.data(), workspace_.size(), stream_.get());
    }
    ::testing::AssertionResult result() {
      require_end(stream_.get(), plan_.describe().c_str());
      return trial_.check();
    }

   private:
    const Plan& plan_;
    Trial trial_;
    GarbageWorkspace workspace_;
    TargetStream stream_;
  };

  static const Work& work() { return std::get<0>(GetParam()); }
  static const Release& release() { return std::get<1>(GetParam()); }

  static const KernelVariant& variant() { return *find_variant(cuda_backend(), work().strategy); }

  /// Of those whose blocks wait for each other.
  static std::vector<Plan> plans(const Problem& problem) {
    std::vector<Config> configs;
    for (const Config& config : variant().configs(problem, cuda_device())) {
      if (variant().needs_coresidency(config)) configs.push_back(config);
    }
    constexpr std::size_t enough = 6;
    std::vector<Plan> plans;
    for (const Config& config : sample(configs, enough)) {
      const Result<Plan> plan =
          Plan::create(work().desc, cuda_options(work().strategy, config.text()));
      if (plan.ok()) {
        plans.push_back(plan.value());
      } else {
        ADD_FAILURE() << plan.status().message();
      }
    }
    return plans;
  }
};

TEST_P(BusyDevice, WaitingBlocksRunBesideAnotherKernelOrAfterIt) {
  const Problem problem = Problem::create(work().desc).value();
  const Support support = variant().supports(problem, cuda_device());
  if (!support.ok) GTEST_SKIP() << support.reason;
  const std::vector<Plan> of_work = plans(problem);
  ASSERT_FALSE(of_work.empty());
  constexpr int left_free = 3;  // Processors.
  const int held = std::max(1, cuda_device().processors - left_free);
  const int whole_processor = static_cast<int>(cuda_device().shared_bytes_per_block);
  for (const Plan& plan : of_work) {
    SCOPED_TRACE(plan.describe());
    // Two, which have to share what room there is.
    Execution first(plan, 1);
    Execution second(plan, 2);
    TargetStream other;
    const SpinningGrid spinning(other.get(), held, whole_processor, release().limits);
    ASSERT_TRUE(spinning.runs_within(std::chrono::seconds(10)));
    for (Execution* execution : {&first, &second}) {
      const Status status = execution->enqueue();
      ASSERT_TRUE(status.ok()) << status.message();
    }
    EXPECT_TRUE(first.result());
    EXPECT_TRUE(second.result());
  }
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<Work, Release>>& info) {
  const auto& [work, release] = info.param;
  return std::string(work.strategy) + "_" + to_identifier(work.desc) + "_" + release.name;
}
INSTANTIATE_TEST_SUITE_P(
    Cases, BusyDevice,
    ::testing::Combine(
        ::testing::Values(Work{"stream_row", layer_norm_desc({64, 20011})},
                          Work{"stream_row", with_type(layer_norm_desc({3, 200003}), DType::f16)},
                          Work{"cluster_row", layer_norm_desc({64, 20011})},
                          Work{"cluster_row", with_type(layer_norm_desc({3, 200003}), DType::f16)},
                          Work{"window_row", layer_norm_desc({64, 20011})},
                          Work{"window_row", with_type(layer_norm_desc({3, 200003}), DType::f16)},
                          Work{"resident_columns",
                               channels_last(group_norm_desc({6, 64, 2000}, 8))},
                          Work{"stream_columns", channels_last(group_norm_desc({6, 64, 2000}, 8))}),
        ::testing::Values(Release{"AtOnce", {milliseconds(50)}},
                          Release{"OneByOne", {milliseconds(2), microseconds(100)}})),
    name_of);

}  // namespace
}  // namespace fastnorm::test
