// SPDX-License-Identifier: Apache-2.0
// Blocks that exchange parts of rows while others are early or late: many launches with delays at
// random in their blocks, on two streams at once, each with the bits of the first. (racecheck knows
// the shared memory of one block alone, and sees nothing of this.)
#include "backends/cuda/column_config.hpp"
#include "backends/cuda/column_space.hpp"
#include "backends/cuda/device/column_params.hpp"
#include "backends/cuda/device/row_params.hpp"
#include "backends/cuda/hopper_code.hpp"
#include "backends/cuda/messages.hpp"
#include "backends/cuda/resident_columns_kernel.hpp"
#include "backends/cuda/row_config.hpp"
#include "backends/cuda/row_space.hpp"
#include "backends/cuda/stream_columns_kernel.hpp"
#include "backends/cuda/stream_row_kernel.hpp"
#include "backends/cuda/window_row_kernel.hpp"
#include "captured_kernel.hpp"
#include "compare_outputs.hpp"
#include "core/config.hpp"
#include "core/problem.hpp"
#include "cuda_target.hpp"
#include "delayed_kernels.hpp"
#include "stream_chunks.hpp"
#include "support/places.hpp"
#include "support/shapes.hpp"
#include "support/trial.hpp"
#include "time_limit.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace fastnorm::test {
namespace {

/// What looks like messages that have come.
constexpr std::uint8_t stale_message = 0;

/// Launches of an exchange, all its cases together: FASTNORM_STRESS_LAUNCHES, or few enough for
/// every day.
std::uint32_t launches_of_exchange() {
  const char* text = std::getenv("FASTNORM_STRESS_LAUNCHES");
  if (text == nullptr) return 500;
  return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

/// Launches on each of a case's two streams, where so many cases share an exchange.
std::uint32_t launches_each(std::size_t cases) {
  const std::size_t streams = 2 * cases;
  return static_cast<std::uint32_t>((launches_of_exchange() + streams - 1) / streams);
}

DelayDraw delays_of(std::uint32_t launch, std::uint32_t stream) {
  constexpr std::uint32_t most_ns[] = {200, 1000, 4000};
  return {2 * launch + stream, most_ns[launch % std::size(most_ns)]};
}

/// The launch of a plan with the delayed kernel in place of its own.
using DelayedLaunch = std::function<Status(const DelayDraw&, Stream)>;

template <class... Parameters>
DelayedLaunch delayed_launch(const cuda::KernelLaunch& launch, const Parameters&... parameters) {
  if (const Status status = launch.load(cuda_device().ordinal); !status.ok()) {
    return [status](const DelayDraw&, Stream) { return status; };
  }
  return [launch, values = std::make_tuple(parameters...)](DelayDraw draw, Stream stream) {
    return std::apply(
        [&](auto... copies) {
          void* arguments[] = {&copies..., &draw};
          return launch.enqueue(arguments, stream);
        },
        values);
  };
}

/// One of the streams: its tensors, its workspace, and what it should find there each time.
class Contender {
 public:
  Contender(const Plan& plan, const TrialSetup& setup, std::uint32_t number)
      : plan_(plan),
        number_(number),
        trial_(setup, target_memory()),
        workspace_(target_memory(), plan.workspace_bytes()),
        found_(target_memory(), sizeof(Differences)) {}

  /// The plan itself must not be taken in by what the workspace holds.
  ::testing::AssertionResult run_plan() {
    const std::vector<std::uint8_t> stale(workspace_.size(), stale_message);
    target_memory().write(workspace_.data(), stale.data(), stale.size());
    trial_.reset();
    const Status status =
        plan_.execute(trial_.args(), workspace_.data(), workspace_.size(), stream_.get());
    if (!status.ok()) return ::testing::AssertionFailure() << status.message();
    require_end(stream_.get(), "the plan");
    return trial_.check();
  }

  CapturedKernel capture() const { return {plan_, trial_.args(), workspace_}; }

  /// The first launch, whose outputs are those of all others.
  ::testing::AssertionResult begin(DelayedLaunch launch) {
    launch_ = std::move(launch);
    if (const auto right = run_alone(); !right) return right;
    const NormArgs args = trial_.args();
    const NormDesc& desc = trial_.setup().desc;
    const LogicalShape shape = logical_shape(desc);
    const Problem problem = Problem::create(desc).value();
    const std::size_t of_row = size_of(problem.accumulation_type());
    outputs_ = {expect(args.y, shape.elements() * size_of(desc.y_type)),
                expect(args.sum, shape.elements() * size_of(desc.x_type)),
                expect(args.mean, shape.statistics() * of_row),
                expect(args.rstd, shape.statistics() * of_row)};
    const Differences none;
    target_memory().write(found_.data(), &none, sizeof(none));
    return ::testing::AssertionSuccess();
  }

  Status enqueue(std::uint32_t launch) {
    if (Status status = enqueue(delays_of(launch, number_)); !status.ok()) return status;
    enqueue_comparison(outputs_, launch, reinterpret_cast<Differences*>(found_.data()),
                       stream_.get());
    return {};
  }

  void wait() { require_end(stream_.get(), "a delayed launch"); }

  /// Whether all launches wrote the same, and nothing else.
  ::testing::AssertionResult verdict() {
    Differences found;
    target_memory().read(&found, found_.data(), sizeof(found));
    if (found.halfwords > 0) {
      return ::testing::AssertionFailure()
             << "stream " << number_ << ": " << found.halfwords
             << " halfwords differ from those of the first launch, for the first time in launch "
             << found.first_launch;
    }
    if (const auto intact = workspace_.canaries_intact(); !intact) return intact;
    return run_alone();
  }

 private:
  ::testing::AssertionResult run_alone() {
    trial_.reset();
    if (const Status status = enqueue(DelayDraw{}); !status.ok()) {
      return ::testing::AssertionFailure() << status.message();
    }
    wait();
    return trial_.check();
  }

  Status enqueue(const DelayDraw& delays) {
    if (workspace_.size() > 0) {
      check_cuda(cudaMemsetAsync(workspace_.data(), cuda::no_message, workspace_.size(),
                                 static_cast<cudaStream_t>(stream_.get().handle)),
                 "cudaMemsetAsync");
    }
    return launch_(delays, stream_.get());
  }

  ComparedOutput expect(void* tensor, std::size_t bytes) {
    if (tensor == nullptr) return {};
    std::vector<std::uint8_t> values(bytes);
    target_memory().read(values.data(), tensor, bytes);
    expected_.push_back(std::make_unique<GuardedBuffer<std::uint8_t>>(target_memory(), bytes));
    expected_.back()->write(values);
    return {static_cast<std::uint16_t*>(tensor),
            reinterpret_cast<const std::uint16_t*>(expected_.back()->data()),
            bytes / sizeof(std::uint16_t)};
  }

  const Plan& plan_;
  const std::uint32_t number_;
  Trial trial_;
  GarbageWorkspace workspace_;
  GuardedBuffer<std::uint8_t> found_;
  std::vector<std::unique_ptr<GuardedBuffer<std::uint8_t>>> expected_;
  ComparedOutputs outputs_{};
  DelayedLaunch launch_;
  TargetStream stream_;  // Destroyed first.
};

TrialSetup setup_of(const NormDesc& desc, std::uint64_t seed) {
  TrialSetup setup = random_trial(desc, seed);
  if (desc.residual != Residual::none) setup.sum = SumOutput::separate;
  if (desc.op == Op::rms_norm) setup.statistics = SavedStatistics::rstd;
  return setup;
}

/// Both streams, `launches` times each; `delayed` makes the launch of what a plan enqueues.
void stress(const Plan& plan, const NormDesc& desc, std::uint32_t launches,
            const std::function<DelayedLaunch(const CapturedKernel&)>& delayed) {
  ASSERT_GT(launches, 0U) << "FASTNORM_STRESS_LAUNCHES must be a number from 1 up";
  Contender first(plan, setup_of(desc, 1), 0);
  Contender second(plan, setup_of(desc, 2), 1);
  for (Contender* contender : {&first, &second}) {
    ASSERT_TRUE(contender->run_plan()) << plan.describe();
    const CapturedKernel captured = contender->capture();
    ASSERT_TRUE(captured.status().ok()) << captured.status().message();
    ASSERT_EQ(captured.kernels(), 1U);
    ASSERT_TRUE(contender->begin(delayed(captured))) << plan.describe();
  }
  constexpr std::uint32_t batch = 200;  // Fewer than streams have room for, so that none blocks.
  for (std::uint32_t launch = 0; launch < launches; ++launch) {
    for (Contender* contender : {&first, &second}) {
      const Status status = contender->enqueue(launch);
      ASSERT_TRUE(status.ok()) << status.message();
    }
    if (launch % batch + 1 < batch) continue;
    first.wait();
    second.wait();
  }
  first.wait();
  second.wait();
  EXPECT_TRUE(first.verdict()) << plan.describe();
  EXPECT_TRUE(second.verdict()) << plan.describe();
}

/// Whether a block's ring holds its part of a row, or lets chunks go that come again.
enum class Ring { holds_rows, releases_chunks };

/// As many teams as the plan has.
constexpr int as_planned = 0;

struct StreamCase {
  const char* name;
  NormDesc desc;
  int blocks_per_row;
  int teams;  ///< Few, so that both streams' grids run beside each other and rows follow rows.
  Ring ring = Ring::holds_rows;
  cuda::Exchange exchange = cuda::Exchange::memory;
  int apply_groups = 0;  ///< More than a block has chunks of a row; 0: whatever.
  /// A team's rows of one chunk a block, less those that the ring has slots for. None: whatever.
  std::optional<int> rows_beyond_ring{};
};

struct WindowCase {
  const char* name;
  NormDesc desc;
  int blocks_per_row;
  int teams;
};

struct ClusterCase {
  const char* name;
  NormDesc desc;
  int cluster;
  int threads;  ///< Each holds a vector.
};

struct ColumnsCase {
  const char* name;
  NormDesc desc;
  int tile;
  int cluster;
  int threads;
};

/// What a block's slots hold of a tile until its output.
enum class Held { all, part, nothing };

/// What a copy into a slot is of.
enum class Copies { chunks, positions, vectors };

struct StreamColumnsCase {
  const char* name;
  NormDesc desc;
  cuda::StreamColumnsConfig config;
  int teams;  ///< As StreamCase has them.
  Copies copies;
  Held held = Held::all;
};

NormDesc with_residual(NormDesc desc, Residual residual) {
  desc.residual = residual;
  return desc;
}

const std::vector<StreamCase>& stream_cases() {
  static const std::vector<StreamCase> cases = {
      {"PairsF32", layer_norm_desc({40, 5001}), 2, 3},
      {"PairsF64InGroups", with_type(group_norm_desc({6, 4, 1501}, 2), DType::f64), 2, 3},
      {"PairsF16OnAllProcessors", with_type(layer_norm_desc({150, 6001}), DType::f16), 2,
       as_planned},
      {"TriosBf16WithResidual",
       with_residual(with_type(layer_norm_desc({24, 9001}), DType::bf16), Residual::rounded_sum), 3,
       4},
      {"SixteenF16MeanSquare", with_type(rms_norm_desc({12, 40003}), DType::f16), 16, 2},
      {"SixteenF32OnAllProcessors", layer_norm_desc({20, 20003}), 16, as_planned},
      {"HundredAndTwentyEightF32", layer_norm_desc({3, 140001}), 128, as_planned},
      {"PairsF32ReleasingChunks", layer_norm_desc({6, 70001}), 2, 3, Ring::releases_chunks},
      {"TriosF32WithResidualReleasingChunks",
       with_residual(layer_norm_desc({4, 100003}), Residual::exact_sum), 3, 2,
       Ring::releases_chunks},
      {"ClusterPairsF32", layer_norm_desc({90, 5001}), 2, 3, Ring::holds_rows,
       cuda::Exchange::cluster},
      {"ClusterFoursF64OnAllProcessors", with_type(layer_norm_desc({150, 6001}), DType::f64), 4,
       as_planned, Ring::holds_rows, cuda::Exchange::cluster},
      {"ClusterEightsBf16WithResidual",
       with_residual(with_type(layer_norm_desc({60, 20001}), DType::bf16), Residual::rounded_sum),
       8, 2, Ring::holds_rows, cuda::Exchange::cluster},
      {"ClusterSixteensF16MeanSquare", with_type(rms_norm_desc({40, 40003}), DType::f16), 16, 2,
       Ring::holds_rows, cuda::Exchange::cluster},
      {"ClusterSixesF32", layer_norm_desc({40, 15001}), 6, 2, Ring::holds_rows,
       cuda::Exchange::cluster},
      {"ClusterPairsF32ReleasingChunks", layer_norm_desc({12, 70001}), 2, 3, Ring::releases_chunks,
       cuda::Exchange::cluster},
      // Rows of two chunks in one block of a pair and of one in the other.
      {"PairsF32OfFewerChunksThanGroups", layer_norm_desc({60, 2501}), 2, 3, Ring::holds_rows,
       cuda::Exchange::memory, 4},
      {"ClusterPairsF32OfFewerChunksThanGroups", layer_norm_desc({60, 2501}), 2, 3,
       Ring::holds_rows, cuda::Exchange::cluster, 12},
      {"PairsF32AsManyRowsAsSlots", layer_norm_desc({45, 1501}), 2, 3, Ring::holds_rows,
       cuda::Exchange::memory, 0, 0},
      {"PairsF32ARowMoreThanSlots", layer_norm_desc({48, 1501}), 2, 3, Ring::holds_rows,
       cuda::Exchange::memory, 0, 1},
      {"ClusterPairsF32AsManyRowsAsSlots", layer_norm_desc({21, 1501}), 2, 3, Ring::holds_rows,
       cuda::Exchange::cluster, 0, 0},
      {"ClusterPairsF32ARowMoreThanSlots", layer_norm_desc({24, 1501}), 2, 3, Ring::holds_rows,
       cuda::Exchange::cluster, 0, 1},
  };
  return cases;
}

const std::vector<ClusterCase>& cluster_cases() {
  static const std::vector<ClusterCase> cases = {
      {"PairsF32", layer_norm_desc({48, 1501}), 2, 256},
      {"PairsF64", with_type(layer_norm_desc({32, 1031}), DType::f64), 2, 320},
      {"FoursBf16WithResidual",
       with_residual(with_type(layer_norm_desc({24, 4099}), DType::bf16), Residual::rounded_sum), 4,
       256},
      {"FoursF32InGroups", group_norm_desc({4, 6, 1501}, 3), 4, 256},
      {"EightsF16MeanSquare", with_type(rms_norm_desc({16, 8001}), DType::f16), 8, 256},
      {"SixteensF32", layer_norm_desc({6, 20011}), 16, 384},
      {"SevensF16", with_type(layer_norm_desc({14, 9001}), DType::f16), 7, 256},
      {"FourteensF32", layer_norm_desc({6, 20011}), 14, 384},
  };
  return cases;
}

const std::vector<ColumnsCase>& columns_cases() {
  static const std::vector<ColumnsCase> cases = {
      {"PairsF32", channels_last(group_norm_desc({40, 32, 100}, 4)), 32, 2, 128},
      {"FoursF16OfTenColumns",
       channels_last(with_type(group_norm_desc({20, 80, 333}, 8), DType::f16)), 80, 4, 480},
      {"EightsBf16OfOneColumnWithResidual",
       channels_last(with_residual(with_type(instance_norm_desc({12, 64, 1000}), DType::bf16),
                                   Residual::rounded_sum)),
       64, 8, 512},
      {"SixteensF64", channels_last(with_type(group_norm_desc({12, 32, 500}, 2), DType::f64)), 16,
       16, 64},
      {"FoursF32OverChannels", over_channels(layer_norm_desc({24, 64, 250})), 32, 4, 128},
      {"TriosF16OfTenColumns",
       channels_last(with_type(group_norm_desc({20, 80, 250}, 8), DType::f16)), 80, 3, 480},
      {"SevensF32", channels_last(group_norm_desc({20, 32, 100}, 4)), 32, 7, 128},
  };
  return cases;
}

const std::vector<StreamColumnsCase>& stream_columns_cases() {
  constexpr auto memory = cuda::Exchange::memory;
  constexpr auto cluster = cuda::Exchange::cluster;
  static const std::vector<StreamColumnsCase> cases = {
      {"AloneF32OfSlices",
       channels_last(group_norm_desc({150, 64, 60}, 8)),
       {32, 1, memory, 1, 2, 4, 2},
       3,
       Copies::vectors},
      {"AloneF16OfLongPositionsHeldInPart",
       channels_last(with_type(group_norm_desc({3, 1024, 230}, 16), DType::f16)),
       {512, 1, memory, 1, 4, 8, 2},
       2,
       Copies::positions,
       Held::part},
      // Chunks that the warps of the statistics do not divide: each tile begins with another one.
      {"PairsF32",
       channels_last(group_norm_desc({200, 64, 100}, 8)),
       {64, 2, memory, 1, 4, 8, 2},
       3,
       Copies::chunks},
      // A ring that has room for a tile of the 60 teams that are planned, and no more.
      {"PairsF32OfOneTileInTheRing",
       channels_last(group_norm_desc({60, 64, 100}, 8)),
       {64, 2, memory, 1, 4, 8, 2},
       3,
       Copies::chunks},
      {"PairsF16OfSlicesOnAllProcessors",
       channels_last(with_type(group_norm_desc({60, 160, 130}, 8), DType::f16)),
       {40, 2, memory, 1, 5, 10, 2},
       as_planned,
       Copies::vectors},
      // The last tile is half as wide.
      {"TriosF32OfSlicesWithResidual",
       channels_last(with_residual(group_norm_desc({60, 96, 131}, 12), Residual::exact_sum)),
       {64, 3, memory, 1, 2, 6, 2},
       4,
       Copies::vectors},
      {"EightsF16OfLongPositions",
       channels_last(with_type(group_norm_desc({16, 1024, 101}, 16), DType::f16)),
       {512, 8, memory, 1, 4, 8, 4},
       3,
       Copies::positions},
      {"SixteensF16MeanSquareOverChannels",
       over_channels(with_type(rms_norm_desc({20, 64, 1500}), DType::f16)),
       {64, 16, memory, 1, 4, 8, 2},
       2,
       Copies::chunks},
      {"HundredAndTwentyEightF32",
       channels_last(group_norm_desc({5, 32, 6000}, 4)),
       {32, 128, memory, 1, 2, 4, 2},
       as_planned,
       Copies::chunks},
      {"PairsF32HeldInPart",
       channels_last(group_norm_desc({8, 64, 1000}, 8)),
       {64, 2, memory, 2, 2, 4, 4},
       2,
       Copies::chunks,
       Held::part},
      {"PairsF16OfSlicesHeldInPart",
       channels_last(with_type(group_norm_desc({4, 128, 1800}, 8), DType::f16)),
       {64, 2, memory, 2, 1, 3, 4},
       2,
       Copies::vectors,
       Held::part},
      {"TriosF32OfSlicesWithResidualHeldInPart",
       channels_last(with_residual(group_norm_desc({4, 96, 700}, 12), Residual::rounded_sum)),
       {64, 3, memory, 2, 1, 2, 4},
       2,
       Copies::vectors,
       Held::part},
      {"PairsF32OfWhichNothingIsHeld",
       channels_last(group_norm_desc({6, 64, 1700}, 8)),
       {64, 2, memory, 2, 3, 3, 1},
       2,
       Copies::chunks,
       Held::nothing},
      {"ClusterPairsF32",
       channels_last(group_norm_desc({200, 64, 100}, 8)),
       {64, 2, cluster, 1, 4, 8, 2},
       3,
       Copies::chunks},
      {"ClusterFoursF64OfSlicesOnAllProcessors",
       channels_last(with_type(group_norm_desc({50, 32, 200}, 2), DType::f64)),
       {16, 4, cluster, 1, 2, 4, 2},
       as_planned,
       Copies::vectors},
      {"ClusterFoursF32OverChannelsOfSlices",
       over_channels(layer_norm_desc({80, 64, 250})),
       {32, 4, cluster, 1, 2, 4, 2},
       3,
       Copies::vectors},
      {"ClusterEightsBf16OfOneColumnWithResidual",
       channels_last(with_residual(with_type(instance_norm_desc({24, 128, 500}), DType::bf16),
                                   Residual::rounded_sum)),
       {64, 8, cluster, 1, 2, 4, 2},
       2,
       Copies::vectors},
      {"ClusterSevensF32",
       channels_last(group_norm_desc({40, 64, 250}, 8)),
       {64, 7, cluster, 1, 4, 8, 2},
       2,
       Copies::chunks},
      {"ClusterSixteensF16OfLongPositions",
       channels_last(with_type(group_norm_desc({12, 1024, 100}, 16), DType::f16)),
       {512, 16, cluster, 1, 4, 8, 4},
       2,
       Copies::positions},
      {"ClusterPairsF32HeldInPart",
       channels_last(group_norm_desc({8, 64, 1000}, 8)),
       {64, 2, cluster, 2, 2, 4, 4},
       2,
       Copies::chunks,
       Held::part},
      {"ClusterFoursF16OfSlicesHeldInPart",
       channels_last(with_type(group_norm_desc({4, 128, 3500}, 8), DType::f16)),
       {64, 4, cluster, 2, 1, 3, 4},
       2,
       Copies::vectors,
       Held::part},
      {"ClusterPairsF32OfWhichNothingIsHeld",
       channels_last(group_norm_desc({6, 64, 1700}, 8)),
       {64, 2, cluster, 2, 3, 3, 1},
       2,
       Copies::chunks,
       Held::nothing},
  };
  return cases;
}

const std::vector<WindowCase>& window_cases() {
  static const std::vector<WindowCase> cases = {
      {"AloneF32", layer_norm_desc({40, 5001}), 1, 3},
      {"PairsF32", layer_norm_desc({40, 5001}), 2, 3},
      {"PairsF64InGroups", with_type(group_norm_desc({6, 4, 1501}, 2), DType::f64), 2, 3},
      {"PairsF16OnAllProcessors", with_type(layer_norm_desc({600, 6001}), DType::f16), 2,
       as_planned},
      {"TriosBf16WithResidual",
       with_residual(with_type(layer_norm_desc({24, 9001}), DType::bf16), Residual::rounded_sum), 3,
       4},
      {"SixteenF16MeanSquare", with_type(rms_norm_desc({12, 40003}), DType::f16), 16, 2},
      {"SixteenF32OnAllProcessors", layer_norm_desc({80, 20003}), 16, as_planned},
      {"HundredAndTwentyEightF32", layer_norm_desc({9, 143001}), 128, as_planned},
  };
  return cases;
}

template <class Case, class Belongs>
std::size_t count_of(const std::vector<Case>& cases, const Belongs& belongs) {
  return static_cast<std::size_t>(std::count_if(cases.begin(), cases.end(), belongs));
}

std::uint32_t launches_of(const StreamCase& wanted) {
  return launches_each(count_of(
      stream_cases(), [&](const StreamCase& one) { return one.exchange == wanted.exchange; }));
}

std::uint32_t launches_of(const ClusterCase&) { return launches_each(cluster_cases().size()); }
std::uint32_t launches_of(const ColumnsCase&) { return launches_each(columns_cases().size()); }

/// A block that is alone exchanges nothing: it comes on top, with as many as the others.
std::uint32_t launches_of(const StreamColumnsCase& wanted) {
  return launches_each(count_of(stream_columns_cases(), [&](const StreamColumnsCase& one) {
    return one.config.exchange == wanted.config.exchange && one.config.blocks_per_tile > 1;
  }));
}

std::uint32_t launches_of(const WindowCase&) {
  return launches_each(
      count_of(window_cases(), [](const WindowCase& one) { return one.blocks_per_row > 1; }));
}

/// Of kernels that need Hopper.
template <class Case>
class HopperStress : public TargetTestWithParam<Case> {
 protected:
  void SetUp() override {
    TargetTestWithParam<Case>::SetUp();
    if (this->IsSkipped()) return;
    const Support support = cuda::supports_hopper_code(cuda_device(), "its kernels");
    if (!support.ok) GTEST_SKIP() << support.reason;
  }
};

/// The form of the kernel that a plan for the problem runs.
cuda::RowForm form_of(const NormDesc& desc) {
  return cuda::row_form(Problem::create(desc).value());
}

/// A team's blocks may need a processor each.
void skip_without(int processors) {
  if (cuda_device().processors >= processors) return;
  GTEST_SKIP() << "the device has " << cuda_device().processors << " processors";
}

class StreamRowStress : public HopperStress<StreamCase> {
 protected:
  void SetUp() override {
    HopperStress::SetUp();
    if (IsSkipped()) return;
    skip_without(GetParam().blocks_per_row);
  }

  /// Chunks of 4 KiB: many in short rows.
  static std::string config() {
    cuda::StreamConfig config;
    config.blocks_per_row = GetParam().blocks_per_row;
    config.exchange = GetParam().exchange;
    config.slot_kib = 4;
    if (GetParam().ring == Ring::releases_chunks) {
      config.apply_groups = 1;
    } else if (GetParam().exchange == cuda::Exchange::cluster &&
               form_of(GetParam().desc) == cuda::RowForm::plain &&
               GetParam().desc.x_type != DType::f64) {
      // The largest crew.
      config.statistics_warps = 5;
      config.apply_warps = 12;
      config.apply_groups = 6;
    }
    if (GetParam().apply_groups > 0) config.apply_groups = GetParam().apply_groups;
    return Config::of(config).text();
  }

  /// Whether the launch is what the case is about.
  static void expect_case(const cuda::StreamShape& shape) {
    SCOPED_TRACE("the case is not what it is to be");
    const StreamCase& wanted = GetParam();
    const int chunks = chunks_of_first_block(wanted.desc, shape);
    EXPECT_EQ(chunks > shape.kept ? Ring::releases_chunks : Ring::holds_rows, wanted.ring);
    if (wanted.apply_groups > 0) {
      EXPECT_LT(chunks, wanted.apply_groups);
    }
    if (wanted.rows_beyond_ring) {
      EXPECT_EQ(chunks, 1);
      const auto rows = static_cast<int>(logical_shape(wanted.desc).statistics());
      EXPECT_EQ(rows, wanted.teams * (shape.slots + *wanted.rows_beyond_ring));
    }
  }

  static DelayedLaunch delayed(const CapturedKernel& captured) {
    auto shape = captured.parameter<cuda::StreamShape>(1);
    cuda::KernelLaunch launch = captured.launch_of(
        delayed_stream_row_kernel(GetParam().desc.x_type, form_of(GetParam().desc)));
    EXPECT_EQ(launch.grid == cuda::GridKind::cooperative,
              GetParam().exchange == cuda::Exchange::memory);
    expect_case(shape);
    if (GetParam().teams != as_planned) {
      EXPECT_LE(GetParam().teams, shape.teams);
      shape.teams = GetParam().teams;
      launch.blocks = static_cast<unsigned int>(shape.teams) * shape.blocks_per_row.divisor();
    }
    return delayed_launch(launch, captured.parameter<cuda::RowParams>(0), shape,
                          captured.parameter<void*>(2));
  }
};

TEST_P(StreamRowStress, EveryLaunchHasTheBitsOfTheFirst) {
  const Result<Plan> plan = Plan::create(GetParam().desc, cuda_options("stream_row", config()));
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  stress(plan.value(), GetParam().desc, launches_of(GetParam()), delayed);
}

class ClusterRowStress : public HopperStress<ClusterCase> {
 protected:
  static cuda::ClusterRowConfig config() {
    cuda::ClusterRowConfig config;
    config.cluster = GetParam().cluster;
    config.threads = GetParam().threads;
    config.vec_width = static_cast<int>(16 / size_of(GetParam().desc.x_type));
    config.unroll = 1;
    return config;
  }

  static DelayedLaunch delayed(const CapturedKernel& captured) {
    const cuda::KernelLaunch launch = captured.launch_of(delayed_cluster_row_kernel(
        GetParam().desc.x_type, config().shape(), form_of(GetParam().desc)));
    EXPECT_EQ(launch.cluster_blocks, GetParam().cluster);
    return delayed_launch(launch, captured.parameter<cuda::RowParams>(0),
                          captured.parameter<int>(1));
  }
};

TEST_P(ClusterRowStress, EveryLaunchHasTheBitsOfTheFirst) {
  const Result<Plan> plan =
      Plan::create(GetParam().desc, cuda_options("cluster_row", Config::of(config()).text()));
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  stress(plan.value(), GetParam().desc, launches_of(GetParam()), delayed);
}

class ResidentColumnsStress : public HopperStress<ColumnsCase> {
 protected:
  static cuda::ResidentColumnsConfig config() {
    cuda::ResidentColumnsConfig config;
    config.tile = GetParam().tile;
    config.cluster = GetParam().cluster;
    config.threads = GetParam().threads;
    config.vec_width = cuda::column_vec_width(GetParam().desc.x_type);
    config.unroll = delayed_positions;
    return config;
  }

  static DelayedLaunch delayed(const CapturedKernel& captured) {
    const NormDesc& desc = GetParam().desc;
    const cuda::RowForm form = cuda::form_of_call(Problem::create(desc).value());
    const cuda::KernelLaunch launch =
        captured.launch_of(delayed_resident_columns_kernel(desc.x_type, form));
    EXPECT_EQ(launch.cluster_blocks, GetParam().cluster);
    return delayed_launch(launch, captured.parameter<cuda::ColumnParams>(0),
                          captured.parameter<cuda::ResidentColumns>(1));
  }
};

TEST_P(ResidentColumnsStress, EveryLaunchHasTheBitsOfTheFirst) {
  const Result<Plan> plan =
      Plan::create(GetParam().desc, cuda_options("resident_columns", Config::of(config()).text()));
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  stress(plan.value(), GetParam().desc, launches_of(GetParam()), delayed);
}

class StreamColumnsStress : public HopperStress<StreamColumnsCase> {
 protected:
  void SetUp() override {
    HopperStress::SetUp();
    if (IsSkipped()) return;
    skip_without(GetParam().config.blocks_per_tile);
  }

  static Held held(const cuda::ColumnStream& stream) {
    if (stream.retention == cuda::ColumnRetention::tile) return Held::all;
    return stream.held_slots > 0 ? Held::part : Held::nothing;
  }

  static Copies copies(const cuda::ColumnParams& params, const cuda::ColumnStream& stream) {
    if (params.geometry.x_position == stream.tiles.width) return Copies::chunks;
    return stream.loaders == 1 ? Copies::positions : Copies::vectors;
  }

  static DelayedLaunch delayed(const CapturedKernel& captured) {
    const StreamColumnsCase& wanted = GetParam();
    const auto params = captured.parameter<cuda::ColumnParams>(0);
    auto stream = captured.parameter<cuda::ColumnStream>(1);
    const cuda::RowForm form = cuda::form_of_call(Problem::create(wanted.desc).value());
    cuda::KernelLaunch launch =
        captured.launch_of(delayed_stream_columns_kernel(wanted.desc.x_type, form));
    EXPECT_EQ(
        launch.grid == cuda::GridKind::cooperative,
        wanted.config.exchange == cuda::Exchange::memory && wanted.config.blocks_per_tile > 1);
    if (wanted.teams != as_planned) {
      EXPECT_LE(wanted.teams, stream.teams);
      stream.teams = wanted.teams;
      launch.blocks = static_cast<unsigned int>(stream.teams) * stream.blocks_per_tile.divisor();
    }
    SCOPED_TRACE("the case is not what it is to be");
    EXPECT_EQ(held(stream), wanted.held);
    EXPECT_EQ(copies(params, stream), wanted.copies);
    EXPECT_LT(stream.teams, stream.units) << "tiles are to follow tiles";
    return delayed_launch(launch, params, stream, captured.parameter<void*>(2));
  }
};

TEST_P(StreamColumnsStress, EveryLaunchHasTheBitsOfTheFirst) {
  const std::string config = Config::of(GetParam().config).text();
  const Result<Plan> plan = Plan::create(GetParam().desc, cuda_options("stream_columns", config));
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  stress(plan.value(), GetParam().desc, launches_of(GetParam()), delayed);
}

class WindowRowStress : public TargetTestWithParam<WindowCase> {
 protected:
  void SetUp() override {
    TargetTestWithParam<WindowCase>::SetUp();
    if (!IsSkipped()) skip_without(GetParam().blocks_per_row);
  }

  /// Blocks of few warps that make several turns of a part.
  static cuda::WindowConfig config() {
    cuda::WindowConfig config;
    config.blocks_per_row = GetParam().blocks_per_row;
    config.vec_width = cuda::full_vec_width(GetParam().desc.x_type);
    config.unroll = 1;
    return config;
  }

  static DelayedLaunch delayed(const CapturedKernel& captured) {
    auto shape = captured.parameter<cuda::WindowShape>(1);
    cuda::KernelLaunch launch =
        captured.launch_of(delayed_window_row_kernel(GetParam().desc.x_type, config().shape()));
    EXPECT_EQ(shape.split.parts, GetParam().blocks_per_row);
    EXPECT_EQ(launch.grid == cuda::GridKind::cooperative, shape.split.parts > 1);
    if (GetParam().teams != as_planned) {
      EXPECT_LE(GetParam().teams, shape.teams);
      shape.teams = GetParam().teams;
      launch.blocks = static_cast<unsigned int>(shape.teams * shape.split.parts);
    }
    EXPECT_LT(static_cast<std::size_t>(shape.teams), logical_shape(GetParam().desc).statistics())
        << "rows are to follow rows";
    return delayed_launch(launch, captured.parameter<cuda::RowParams>(0), shape,
                          captured.parameter<void*>(2));
  }
};

TEST_P(WindowRowStress, EveryLaunchHasTheBitsOfTheFirst) {
  const Result<Plan> plan =
      Plan::create(GetParam().desc, cuda_options("window_row", Config::of(config()).text()));
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  stress(plan.value(), GetParam().desc, launches_of(GetParam()), delayed);
}

template <class Case>
std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Cases, StreamRowStress, ::testing::ValuesIn(stream_cases()),
                         name_of<StreamCase>);
INSTANTIATE_TEST_SUITE_P(Cases, ClusterRowStress, ::testing::ValuesIn(cluster_cases()),
                         name_of<ClusterCase>);
INSTANTIATE_TEST_SUITE_P(Cases, ResidentColumnsStress, ::testing::ValuesIn(columns_cases()),
                         name_of<ColumnsCase>);
INSTANTIATE_TEST_SUITE_P(Cases, StreamColumnsStress, ::testing::ValuesIn(stream_columns_cases()),
                         name_of<StreamColumnsCase>);
INSTANTIATE_TEST_SUITE_P(Cases, WindowRowStress, ::testing::ValuesIn(window_cases()),
                         name_of<WindowCase>);

// What the others rely on.
using CompareOutputs = TargetTest;

TEST_F(CompareOutputs, FindsAHalfwordAndWhatIsNotWrittenAgain) {
  constexpr std::size_t count = 100003;
  std::vector<std::uint16_t> values(count, 0x3C00);
  GuardedBuffer<std::uint16_t> expected(target_memory(), count);
  expected.write(values);
  GuardedBuffer<std::uint16_t> now(target_memory(), count);
  GuardedBuffer<std::uint8_t> found_bytes(target_memory(), sizeof(Differences));
  auto* const found = reinterpret_cast<Differences*>(found_bytes.data());
  const ComparedOutputs outputs = {ComparedOutput{now.data(), expected.data(), count}};
  const auto compare = [&](std::uint32_t launch) {
    enqueue_comparison(outputs, launch, found, {});
    Differences differences;
    target_memory().read(&differences, found, sizeof(differences));
    return differences;
  };
  const Differences none;
  target_memory().write(found, &none, sizeof(none));

  now.write(values);
  EXPECT_EQ(compare(6).halfwords, 0U);
  values[count - 1] ^= 1;
  now.write(values);
  EXPECT_EQ(compare(7).halfwords, 1U);
  EXPECT_EQ(compare(8).halfwords, 1 + count);
  EXPECT_EQ(compare(9).first_launch, 7U);
  EXPECT_TRUE(now.canaries_intact());
}

}  // namespace
}  // namespace fastnorm::test
