// SPDX-License-Identifier: Apache-2.0
// F20: two threads on a stream each, a thousand times, with the bits of a call that is alone.
#include "support/device_memory.hpp"
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/trial.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace fastnorm::test {
namespace {

constexpr int iterations = 1000;

/// Host memory that a copy on a stream fills without stopping the other streams.
class PinnedBytes {
 public:
  explicit PinnedBytes(std::size_t size) : size_(size) {
    check_cuda(cudaMallocHost(&data_, size), "cudaMallocHost");
  }
  ~PinnedBytes() { static_cast<void>(cudaFreeHost(data_)); }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;

  void read(const void* from, TargetStream& stream) {
    check_cuda(cudaMemcpyAsync(data_, from, size_, cudaMemcpyDeviceToHost,
                               static_cast<cudaStream_t>(stream.get().handle)),
               "cudaMemcpyAsync");
    stream.synchronize();
  }
  bool operator==(const PinnedBytes& other) const {
    return std::memcmp(data_, other.data_, size_) == 0;
  }

 private:
  void* data_ = nullptr;
  std::size_t size_;
};

struct Race {
  NormDesc desc;
  int compared_each;          ///< Of so many iterations: copies to the host take the longest.
  const char* strategy = "";  ///< Empty: what the library chooses.
};

class F20Races : public TargetTestWithParam<Race> {
 protected:
  /// What the thread found wrong; empty: nothing.
  static std::string repeat(const Plan& plan, const Trial& trial) {
    TargetStream stream;
    const std::size_t bytes = trial.setup().inputs.x.size() * size_of(trial.setup().desc.y_type);
    const GarbageWorkspace workspace(target_memory(), plan.workspace_bytes());
    const NormArgs args = trial.args();
    PinnedBytes alone(bytes);
    alone.read(args.y, stream);
    PinnedBytes now(bytes);
    for (int iteration = 1; iteration <= iterations; ++iteration) {
      const Status status = plan.execute(args, workspace.data(), workspace.size(), stream.get());
      if (!status.ok()) return status.message();
      if (iteration % GetParam().compared_each != 0) continue;
      now.read(args.y, stream);
      if (!(now == alone)) return "other bits in iteration " + std::to_string(iteration);
    }
    return {};
  }
};

TEST_P(F20Races, TwoThreadsOnTwoStreamsGiveTheBitsOfOne) {
  PlanOptions options = target_options();
  options.deterministic = true;
  options.strategy = GetParam().strategy;
  const Result<Plan> plan = Plan::create(GetParam().desc, options);
  if (!options.strategy.empty() && plan.status().code() == StatusCode::unsupported) {
    GTEST_SKIP() << plan.status().message();
  }
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  ASSERT_TRUE(repeats_bit_for_bit(plan.value())) << plan.value().describe();
  Trial first(random_trial(GetParam().desc, 1), target_memory());
  Trial second(random_trial(GetParam().desc, 2), target_memory());
  for (Trial* trial : {&first, &second}) ASSERT_TRUE(run(plan.value(), *trial));

  std::string failures[2];
  std::thread other([&] { failures[1] = repeat(plan.value(), second); });
  failures[0] = repeat(plan.value(), first);
  other.join();
  for (const std::string& failure : failures) {
    EXPECT_EQ(failure, "") << plan.value().describe();
  }
  EXPECT_TRUE(first.check());
  EXPECT_TRUE(second.check());
}

std::string name_of(const ::testing::TestParamInfo<Race>& info) {
  const std::string strategy = info.param.strategy;
  return (strategy.empty() ? "" : strategy + "_") + to_identifier(info.param.desc);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, F20Races,
    ::testing::Values(Race{layer_norm_desc({1024, 16384}), 25},
                      Race{layer_norm_desc({64, 2048}), 1}, Race{layer_norm_desc({64, 4096}), 1},
                      Race{with_type(layer_norm_desc({64, 4096}), DType::bf16), 1},
                      Race{group_norm_desc({1, 2, 100003}, 1), 1}),
    name_of);

/// Samples of which a block holds a part.
constexpr Extents image{2, 320, 48, 48};

INSTANTIATE_TEST_SUITE_P(
    Columns, F20Races,
    ::testing::Values(Race{channels_last(group_norm_desc(image, 32)), 4, "resident_columns"},
                      Race{channels_last(group_norm_desc(image, 32)), 4, "stream_columns"},
                      Race{channels_last(group_norm_desc(image, 32)), 4, "split_columns"},
                      Race{over_channels(layer_norm_desc({1, 500, 2048})), 4, "resident_columns"},
                      Race{over_channels(layer_norm_desc({1, 500, 2048})), 4, "stream_columns"}),
    name_of);

}  // namespace
}  // namespace fastnorm::test
