// SPDX-License-Identifier: Apache-2.0
// Several positions of few columns, which the host's loops handle as one: where they do, and that
// results are those of single positions.
#include "backends/kokkos/column_fold.hpp"

#include "core/enum_values.hpp"
#include "support/shapes.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace fastnorm::kokkos {
namespace {

using test::channels_last;
using test::group_norm_desc;
using test::instance_norm_desc;
using test::with_type;

ColumnMatrix gapless(std::int64_t width) {
  ColumnMatrix matrix;
  matrix.groups = width;
  matrix.x_position = width;
  matrix.y_position = width;
  return matrix;
}

constexpr std::int64_t many_positions = 1 << 20;

TEST(ColumnFold, AsManyPositionsAsFillVectors) {
  EXPECT_EQ(positions_at_once(gapless(2), many_positions), 128);
  EXPECT_EQ(positions_at_once(gapless(3), many_positions), 64);
  EXPECT_EQ(positions_at_once(gapless(16), many_positions), 16);
  EXPECT_EQ(positions_at_once(gapless(17), many_positions), 8);
  EXPECT_EQ(positions_at_once(gapless(128), many_positions), 2);
  EXPECT_EQ(positions_at_once(gapless(129), many_positions), 1);
}

/// More sums would take longer to merge than they save.
TEST(ColumnFold, FewPositionsHaveFewerSums) {
  EXPECT_EQ(positions_at_once(gapless(3), 1024), 32);
  EXPECT_EQ(positions_at_once(gapless(3), 49), 8);
  EXPECT_EQ(positions_at_once(gapless(3), 1), 1);
}

TEST(ColumnFold, PositionsWithGapsStaySingle) {
  ColumnMatrix of_x = gapless(3);
  of_x.x_position = 4;
  EXPECT_EQ(positions_at_once(of_x, many_positions), 1);
  ColumnMatrix of_y = gapless(3);
  of_y.y_position = 4;
  EXPECT_EQ(positions_at_once(of_y, many_positions), 1);
}

/// By `columns`, in one part and in some, into the caches and past them.
void expect_right(const NormDesc& desc) {
  SCOPED_TRACE(test::to_text(desc));
  test::TrialSetup setup = test::random_trial(desc);
  if (desc.residual != Residual::none) setup.sum = test::SumOutput::separate;
  test::Trial trial(setup, test::host_memory());
  for (const char* config : {"splits=1,wave=1,store=cached", "splits=1,wave=1,store=streaming",
                             "splits=3,wave=2,store=cached"}) {
    PlanOptions options;
    options.memory = MemorySpace::host;
    options.backend = "kokkos-host";
    options.strategy = "columns";
    options.config = config;
    const Result<Plan> plan = Plan::create(desc, options);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    EXPECT_TRUE(test::run(plan.value(), trial)) << config;
  }
}

/// Fewer than are folded, some more, with a rest, and more than share a pivot.
constexpr std::int64_t position_counts[] = {2, 3, 37, 331, 9001};

constexpr int most_channels = 17;

TEST(ColumnFold, AnyNumberOfChannels) {
  for (int channels = 2; channels <= most_channels; ++channels) {
    for (const std::int64_t positions : position_counts) {
      expect_right(channels_last(instance_norm_desc({2, channels, positions})));
      expect_right(channels_last(group_norm_desc({2, channels, positions}, 1)));
    }
  }
}

TEST(ColumnFold, GroupsOfSeveralChannels) {
  for (int groups = 2; groups <= most_channels / 2; ++groups) {
    for (int width = 2; width * groups <= most_channels; ++width) {
      for (const std::int64_t positions : {37, 2003}) {
        expect_right(channels_last(group_norm_desc({3, width * groups, positions}, groups)));
      }
    }
  }
}

TEST(ColumnFold, EveryType) {
  for (const test::Types& types : test::offered_types()) {
    for (const int channels : {2, 3, 5, 12, 16}) {
      expect_right(with_types(channels_last(instance_norm_desc({2, channels, 1031})), types));
    }
  }
}

/// All that lies beside gamma and beta between h and y.
TEST(ColumnFold, EveryEpilogue) {
  for (const DType type : all_dtypes) {
    for (const int channels : {3, 4, 7}) {
      NormDesc desc = with_type(channels_last(group_norm_desc({3, channels, 259}, 1)), type);
      for (const Activation activation : all_activations) {
        desc.epilogue.activation = activation;
        expect_right(desc);
      }
      desc.epilogue.modulation = Modulation::scale_shift;
      desc.epilogue.gamma = GammaForm::centred_zero;
      expect_right(desc);
      desc.epilogue.normalised = NormalisedRounding::affine_type;
      for (const Residual residual : {Residual::rounded_sum, Residual::exact_sum}) {
        desc.residual = residual;
        expect_right(desc);
      }
    }
  }
}

/// Pixels of wider ones, in x or in y alone and in both; and samples with gaps between them, whose
/// positions have none.
TEST(ColumnFold, Strides) {
  for (const DType type : {DType::f32, DType::f16}) {
    for (std::int64_t channels = 2; channels <= most_channels; channels += 3) {
      constexpr std::int64_t positions = 517;
      NormDesc desc = with_type(instance_norm_desc({2, channels, positions}), type);
      const Strides dense{positions * channels, 1, channels};
      const Strides wider{positions * (channels + 2), 1, channels + 2};
      const Strides apart{positions * channels + 5, 1, channels};
      for (const auto& [x, y] :
           {std::pair{wider, dense}, std::pair{dense, wider}, std::pair{wider, wider},
            std::pair{apart, dense}, std::pair{dense, apart}}) {
        desc.x_strides = x;
        desc.y_strides = y;
        desc.residual = Residual::none;
        expect_right(desc);
        desc.residual = Residual::rounded_sum;
        expect_right(desc);
      }
    }
  }
}

/// layer_norm and rms_norm over the channels of channels-first images of few pixels: positions
/// have gamma, beta, scale and shift.
TEST(ColumnFold, AffineMapsOfPositions) {
  for (const DType type : all_dtypes) {
    for (std::int64_t pixels = 2; pixels <= most_channels; ++pixels) {
      constexpr std::int64_t channels = 391;
      for (NormDesc desc : {test::layer_norm_desc({2, pixels, channels}),
                            test::rms_norm_desc({2, pixels, channels})}) {
        desc = with_type(desc, type);
        desc.x_strides = desc.y_strides = {pixels * channels, 1, pixels};
        expect_right(desc);
        desc.epilogue.modulation = Modulation::scale_shift;
        desc.epilogue.normalised = NormalisedRounding::affine_type;
        expect_right(desc);
      }
    }
  }
}

/// What is not finite in a channel, or beyond a float's squares, is the channel's own.
TEST(ColumnFold, ChannelsStayApart) {
  constexpr std::size_t positions = 1031;
  constexpr std::size_t channels = 3;
  const NormDesc desc = channels_last(instance_norm_desc({1, channels, positions}));
  PlanOptions options;
  options.memory = MemorySpace::host;
  options.backend = "kokkos-host";
  options.strategy = "columns";
  const Result<Plan> plan = Plan::create(desc, options);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  test::Trial trial(test::random_trial(desc), test::host_memory());
  ASSERT_TRUE(test::run(plan.value(), trial));
  const test::Values before = trial.y();
  for (const double bad :
       {1e30, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    test::TrialSetup setup = trial.setup();
    setup.inputs.x[positions + 700] = bad;  // Of channel 1.
    test::Trial spoilt(setup, test::host_memory());
    ASSERT_TRUE(test::execute(plan.value(), spoilt));
    const test::Values after = spoilt.y();
    for (std::size_t i = 0; i < positions; ++i) {
      EXPECT_EQ(after[i], before[i]);
      EXPECT_EQ(after[2 * positions + i], before[2 * positions + i]);
    }
  }
}

}  // namespace
}  // namespace fastnorm::kokkos
