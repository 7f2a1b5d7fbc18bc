// SPDX-License-Identifier: Apache-2.0
// F14, where several blocks share a row, or rows that lie side by side: a NaN or an infinity in one
// block's part reaches the others of its team through their exchange, and neither keeps one waiting
// nor comes into another row.
#include "backends/cuda/hopper_code.hpp"
#include "backends/cuda/row_config.hpp"
#include "backends/cuda/row_space.hpp"
#include "core/config.hpp"
#include "cuda/cuda_target.hpp"
#include "cuda/time_limit.hpp"
#include "cuda/waiting_configs.hpp"
#include "support/guarded_tensor.hpp"
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace fastnorm::test {
namespace {

/// A way to deal out rows.
struct Spread {
  const char* name;
  const char* strategy;
  std::vector<std::string> (*configs)(const KernelVariant&, const NormDesc&);
};

std::vector<std::string> standard(const KernelVariant&, const NormDesc&) { return {""}; }

template <int kBlocks, cuda::Exchange kExchange>
std::vector<std::string> stream_team(const KernelVariant&, const NormDesc&) {
  cuda::StreamConfig config;
  config.blocks_per_row = kBlocks;
  config.exchange = kExchange;
  config.slot_kib = 4;      // Several chunks a block, even of short rows,
  config.apply_groups = 1;  // and more than it holds of the longest.
  return {Config::of(config).text()};
}

template <int kBlocks>
std::vector<std::string> window_team(const KernelVariant&, const NormDesc& desc) {
  cuda::WindowConfig config;
  config.blocks_per_row = kBlocks;
  config.threads = 1024;  // Few teams, each of which has several rows.
  config.unroll = 1;
  config.vec_width = cuda::full_vec_width(desc.x_type);
  return {Config::of(config).text()};
}

template <int kBlocks>
std::vector<std::string> split(const KernelVariant&, const NormDesc& desc) {
  cuda::SplitRowConfig config;
  config.splits = kBlocks;
  config.vec_width = cuda::full_vec_width(desc.x_type);
  return {Config::of(config).text()};
}

template <Meeting kMeeting>
std::vector<std::string> columns(const KernelVariant& variant, const NormDesc& desc) {
  std::vector<std::string> texts;
  for (const Config& config : two_that_wait(variant, Problem::create(desc).value(), kMeeting)) {
    texts.push_back(config.text());
  }
  return texts;
}

/// (Rows of warp_row are too short for others, and share nothing.)
constexpr Spread spreads[] = {
    {"resident_row", "resident_row", standard},
    {"block_row", "block_row", standard},
    {"cluster_row", "cluster_row", standard},
    {"stream_row_alone", "stream_row", stream_team<1, cuda::Exchange::memory>},
    {"stream_row_pairs_in_memory", "stream_row", stream_team<2, cuda::Exchange::memory>},
    {"stream_row_eights_in_memory", "stream_row", stream_team<8, cuda::Exchange::memory>},
    {"stream_row_pairs_in_clusters", "stream_row", stream_team<2, cuda::Exchange::cluster>},
    {"stream_row_eights_in_clusters", "stream_row", stream_team<8, cuda::Exchange::cluster>},
    {"window_row_pairs", "window_row", window_team<2>},
    {"window_row_eights", "window_row", window_team<8>},
    {"split_two_kernel_in_four", "split_two_kernel", split<4>},
    {"split_atomic_in_four", "split_atomic", split<4>}};

/// Of split_columns' configurations, the default has several blocks a tile.
constexpr Spread spreads_of_columns[] = {
    {"resident_columns_in_clusters", "resident_columns", columns<Meeting::in_clusters>},
    {"stream_columns_in_memory", "stream_columns", columns<Meeting::in_memory>},
    {"stream_columns_in_clusters", "stream_columns", columns<Meeting::in_clusters>},
    {"split_columns", "split_columns", standard}};

void PrintTo(const Spread& spread, std::ostream* out) { *out << spread.name; }

/// As many as make most teams take one after another.
std::vector<NormDesc> rows() {
  return {layer_norm_desc({200, 5003}), layer_norm_desc({100, 20003}),
          layer_norm_desc({40, 100003})};
}

/// Samples for several teams each and for a block; and rows without a neighbour of their group.
std::vector<NormDesc> rows_side_by_side() {
  return {channels_last(group_norm_desc({150, 32, 200}, 4)),
          channels_last(group_norm_desc({6, 64, 2000}, 8)),
          over_channels(layer_norm_desc({2, 400, 500}))};
}

/// What comes into the row, as its type has it.
std::vector<std::pair<std::string, std::vector<std::uint8_t>>> intruders(DType type) {
  using Limits = std::numeric_limits<double>;
  return {{"NaN", encode(type, {Limits::quiet_NaN()})},
          // With the bits of a message that has not come.
          {"a NaN of ones", std::vector<std::uint8_t>(size_of(type), 0xFF)},
          {"+Inf", encode(type, {Limits::infinity()})},
          {"-Inf", encode(type, {-Limits::infinity()})}};
}

using Case = std::tuple<Spread, NormDesc, DType>;

NormDesc desc_of(const Case& one) {
  return with_type(std::get<NormDesc>(one), std::get<DType>(one));
}

/// In the order of memory, which has no gaps.
Values in_memory(const Values& values, const std::vector<std::size_t>& places) {
  Values all(values.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[places[i]] = values[i];
  return all;
}

class F14Exchanges : public TargetTestWithParam<Case> {
 protected:
  /// Ends the program where the call does not end.
  static void execute_in_time(const Plan& plan, const NormArgs& args) {
    const GarbageWorkspace workspace(target_memory(), plan.workspace_bytes());
    TargetStream stream;
    const Status status = plan.execute(args, workspace.data(), workspace.size(), stream.get());
    ASSERT_TRUE(status.ok()) << status.message();
    require_end(stream.get(), plan.describe().c_str());
    EXPECT_TRUE(workspace.canaries_intact());
  }

  static ::testing::AssertionResult same_rows(const Plan& plan, const Values& y,
                                              const Values& clean, const Values& tolerance) {
    if (repeats_bit_for_bit(plan)) return same_bits("y", y, clean);
    Values twice = tolerance;
    for (double& one : twice) one *= 2;
    return all_within("y", y, clean, twice);
  }

  /// x is the trial's, whose elements lie at these places.
  static void check(const Plan& plan, Trial& trial, GuardedTensor& x,
                    const std::vector<std::size_t>& where) {
    SCOPED_TRACE(plan.describe());
    const Values inputs = in_memory(trial.setup().inputs.x, where);
    NormArgs args = trial.args();
    trial.reset();
    execute_in_time(plan, args);
    ASSERT_TRUE(trial.check());
    const Values clean = trial.y();
    args.x = x.data();

    const LogicalShape shape = logical_shape(trial.setup().desc);
    const std::size_t row_len = shape.row_len();
    const std::size_t row = shape.statistics() / 3;
    for (const std::size_t place : {std::size_t{3}, (row_len + shape.spatial) / 2, row_len - 2}) {
      x.write(inputs);
      auto* const element =
          static_cast<std::uint8_t*>(x.data()) + where[row * row_len + place] * size_of(x.type());
      for (const auto& [name, bytes] : intruders(x.type())) {
        SCOPED_TRACE(name + " in element " + std::to_string(place));
        trial.reset();
        target_memory().write(element, bytes.data(), bytes.size());
        ASSERT_NO_FATAL_FAILURE(execute_in_time(plan, args));
        Values y = trial.y();
        const auto begin = y.begin() + static_cast<std::ptrdiff_t>(row * row_len);
        const auto end = begin + static_cast<std::ptrdiff_t>(row_len);
        EXPECT_TRUE(std::all_of(begin, end, [](double value) { return std::isnan(value); }));
        // Of the other rows, then.
        std::copy_n(clean.begin() + (begin - y.begin()), row_len, begin);
        EXPECT_TRUE(same_rows(plan, y, clean, trial.tolerance()));
      }
    }
  }
};

TEST_P(F14Exchanges, OtherRowsAreAsInACleanCall) {
  const NormDesc desc = desc_of(GetParam());
  const Spread& spread = std::get<Spread>(GetParam());
  const KernelVariant& variant = *find_variant(cuda_backend(), spread.strategy);
  const Support support = variant.supports(Problem::create(desc).value(), cuda_device());
  if (!support.ok) GTEST_SKIP() << support.reason;
  const std::vector<std::string> configs = spread.configs(variant, desc);
  const Support clusters = cuda::supports_hopper_code(cuda_device(), "clusters");
  if (configs.empty() && !clusters.ok) GTEST_SKIP() << clusters.reason;
  ASSERT_FALSE(configs.empty()) << "no configuration deals rows out so";

  const std::vector<std::size_t> where = places(desc, desc.x_strides);
  Trial trial(random_trial(desc), target_memory());
  GuardedTensor x(target_memory(), desc.x_type, where.size());
  for (const std::string& config : configs) {
    const Result<Plan> made = Plan::create(desc, cuda_options(spread.strategy, config));
    if (made.status().code() == StatusCode::unsupported) GTEST_SKIP() << made.status().message();
    ASSERT_TRUE(made.ok()) << made.status().message();
    ASSERT_NO_FATAL_FAILURE(check(made.value(), trial, x, where));
  }
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  return std::string(std::get<Spread>(info.param).name) + "_" + to_identifier(desc_of(info.param));
}

INSTANTIATE_TEST_SUITE_P(Rows, F14Exchanges,
                         ::testing::Combine(::testing::ValuesIn(spreads),
                                            ::testing::ValuesIn(rows()),
                                            ::testing::Values(DType::f32, DType::f64)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Columns, F14Exchanges,
                         ::testing::Combine(::testing::ValuesIn(spreads_of_columns),
                                            ::testing::ValuesIn(rows_side_by_side()),
                                            ::testing::Values(DType::f32, DType::f64)),
                         name_of);

}  // namespace
}  // namespace fastnorm::test
