// F14, where several blocks share a row: a NaN or an infinity in one block's part reaches the
// others of its team through their exchange, and neither keeps one waiting nor comes into another
// row.
#include "backends/cuda/row_config.hpp"
#include "backends/cuda/row_space.hpp"
#include "core/config.hpp"
#include "cuda/cuda_target.hpp"
#include "cuda/time_limit.hpp"
#include "support/guarded_tensor.hpp"
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

/// A way to deal out a row.
struct Spread {
  const char* name;
  const char* strategy;
  std::string (*config)(DType);
};

std::string standard(DType) { return {}; }

template <int kBlocks, cuda::Exchange kExchange>
std::string stream_team(DType) {
  cuda::StreamConfig config;
  config.blocks_per_row = kBlocks;
  config.exchange = kExchange;
  config.slot_kib = 4;      // Several chunks a block, even of short rows,
  config.apply_groups = 1;  // and more than it holds of the longest.
  return Config::of(config).text();
}

template <int kBlocks>
std::string window_team(DType type) {
  cuda::WindowConfig config;
  config.blocks_per_row = kBlocks;
  config.threads = 1024;  // Few teams, each of which has several rows.
  config.unroll = 1;
  config.vec_width = cuda::full_vec_width(type);
  return Config::of(config).text();
}

template <int kBlocks>
std::string split(DType type) {
  cuda::SplitRowConfig config;
  config.splits = kBlocks;
  config.vec_width = cuda::full_vec_width(type);
  return Config::of(config).text();
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

void PrintTo(const Spread& spread, std::ostream* out) { *out << spread.name; }

/// As many rows as make most teams take one after another.
constexpr std::pair<std::int64_t, std::int64_t> counts_and_lengths[] = {
    {200, 5003}, {100, 20003}, {40, 100003}};

/// What comes into the row, as its type has it.
std::vector<std::pair<std::string, std::vector<std::uint8_t>>> intruders(DType type) {
  using Limits = std::numeric_limits<double>;
  return {{"NaN", encode(type, {Limits::quiet_NaN()})},
          // With the bits of a message that has not come.
          {"a NaN of ones", std::vector<std::uint8_t>(size_of(type), 0xFF)},
          {"+Inf", encode(type, {Limits::infinity()})},
          {"-Inf", encode(type, {-Limits::infinity()})}};
}

using Case = std::tuple<Spread, std::pair<std::int64_t, std::int64_t>, DType>;

NormDesc desc_of(const Case& one) {
  const auto [count, length] = std::get<1>(one);
  return with_type(layer_norm_desc({count, length}), std::get<DType>(one));
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
};

TEST_P(F14Exchanges, OtherRowsAreAsInACleanCall) {
  const auto& [spread, shape, type] = GetParam();
  const NormDesc desc = desc_of(GetParam());
  const Result<Plan> made = Plan::create(desc, cuda_options(spread.strategy, spread.config(type)));
  if (made.status().code() == StatusCode::unsupported) GTEST_SKIP() << made.status().message();
  ASSERT_TRUE(made.ok()) << made.status().message();
  const Plan& plan = made.value();
  SCOPED_TRACE(plan.describe());

  Trial trial(random_trial(desc), target_memory());
  GuardedTensor x(target_memory(), type, trial.setup().inputs.x.size());
  x.write(trial.setup().inputs.x);
  NormArgs args = trial.args();
  execute_in_time(plan, args);
  ASSERT_TRUE(trial.check());
  const Values clean = trial.y();
  args.x = x.data();

  const auto row_len = static_cast<std::size_t>(shape.second);
  const std::size_t row = static_cast<std::size_t>(shape.first) / 3;
  for (const std::size_t place : {std::size_t{3}, row_len / 2, row_len - 2}) {
    const std::size_t at = row * row_len + place;
    auto* const element = static_cast<std::uint8_t*>(x.data()) + at * size_of(type);
    for (const auto& [name, bytes] : intruders(type)) {
      SCOPED_TRACE(name + " in element " + std::to_string(place));
      trial.reset();
      target_memory().write(element, bytes.data(), bytes.size());
      execute_in_time(plan, args);
      if (HasFatalFailure()) return;
      Values y = trial.y();
      const auto begin = y.begin() + static_cast<std::ptrdiff_t>(row * row_len);
      const auto end = begin + static_cast<std::ptrdiff_t>(row_len);
      EXPECT_TRUE(std::all_of(begin, end, [](double value) { return std::isnan(value); }));
      // Of the other rows, then.
      std::copy_n(clean.begin() + (begin - y.begin()), row_len, begin);
      EXPECT_TRUE(same_rows(plan, y, clean, trial.tolerance()));
    }
    x.write(trial.setup().inputs.x);
  }
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  const auto& [spread, shape, type] = info.param;
  return std::string(spread.name) + "_" + std::to_string(shape.second) + "_" + to_string(type);
}

INSTANTIATE_TEST_SUITE_P(SpreadsLengthsAndTypes, F14Exchanges,
                         ::testing::Combine(::testing::ValuesIn(spreads),
                                            ::testing::ValuesIn(counts_and_lengths),
                                            ::testing::Values(DType::f32, DType::f64)),
                         name_of);

}  // namespace
}  // namespace fastnorm::test
