// SPDX-License-Identifier: Apache-2.0
// F12 and F42: tensors with strides. They are what a packed copy of them would be, and nothing
// between their elements changes.
#include "support/places.hpp"
#include "support/plans.hpp"
#include "support/target.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

namespace fastnorm::test {
namespace {

class F12Strides : public TargetTest {
 protected:
  /// Each strategy that takes such rows, beside the reference, which knows nothing of strides.
  static void check(NormDesc desc, const Strides& x, const Strides& y,
                    Output output = Output::separate) {
    desc.x_strides = x;
    desc.y_strides = y;
    SCOPED_TRACE(to_text(desc));
    TrialSetup setup = random_trial(desc);
    setup.output = output;
    if (desc.residual != Residual::none) setup.sum = SumOutput::separate;
    Trial trial(setup, target_memory());
    for (const Plan& plan : plans_under_test(desc)) EXPECT_TRUE(run(plan, trial));
  }
};

TEST_F(F12Strides, RmsNormOfATransposedMatrix) {
  check(rms_norm_desc({48, 300}), {1, 48}, {300, 1});
  check(rms_norm_desc({48, 300}), {1, 48}, {1, 48});
}

TEST_F(F12Strides, LayerNormOfAPermutedCube) {
  for (const Strides& strides : {Strides{1, 4, 16}, Strides{4, 16, 1}, Strides{16, 1, 4},
                                 Strides{1, 16, 4}, Strides{4, 1, 16}}) {
    check(layer_norm_desc({4, 4, 4}), strides, {});
    check(layer_norm_desc({4, 4, 4}), strides, strides);
  }
}

TEST_F(F12Strides, ASliceOfWiderRows) {
  check(layer_norm_desc({33, 2048}), {4096, 1}, {});
  check(layer_norm_desc({33, 2048}), {4096, 1}, {4096, 1});
}

// x and y are cut into vectors alike, row by row, or not at all.
TEST_F(F12Strides, RowsAtEveryDistanceFromABoundary) {
  for (const DType type : {DType::f32, DType::bf16}) {
    const NormDesc rows = with_type(layer_norm_desc({19, 1027}), type);
    check(rows, {1027 + 6, 1}, {1027 + 6, 1}, Output::in_place);
    check(rows, {1027 + 6, 1}, {1027 + 14, 1});
    check(rows, {1027 + 6, 1}, {1027 + 5, 1});
  }
}

TEST_F(F12Strides, SumsOfRowsWithStrides) {
  NormDesc rows = layer_norm_desc({23, 3000});
  rows.residual = Residual::rounded_sum;
  check(rows, {3016, 1}, {3004, 1});
  check(with_type(rows, DType::f16), {3016, 1}, {});
}

// Groups follow each other within a sample, and samples lie apart.
TEST_F(F12Strides, SamplesApart) {
  const NormDesc images = group_norm_desc({3, 8, 25, 40}, 4);
  check(images, {8040, 1000, 40, 1}, {});
  check(images, {8040, 1000, 40, 1}, {8004, 1000, 40, 1});
  check(with_type(images, DType::f16), {8001, 1000, 40, 1}, {8002, 1000, 40, 1});
}

TEST_F(F12Strides, ImagesWithAPitch) {
  for (const std::int64_t width : {100, 96, 33}) {
    const NormDesc images = group_norm_desc({2, 6, 20, width}, 3);
    const Strides padded{6 * 20 * 104, 20 * 104, 104, 1};
    for (const DType type : {DType::f32, DType::f16, DType::f64}) {
      check(with_type(images, type), padded, {});
      check(with_type(images, type), padded, padded, Output::in_place);
    }
    check(instance_norm_desc({2, 6, 20, width}), padded, {});
  }
}

// Pixels of wider ones: a row's channels come again in each of its runs.
TEST_F(F12Strides, SomeChannelsOfPixels) {
  for (const int groups : {1, 3, 24}) {
    const NormDesc images = group_norm_desc({2, 24, 9, 11}, groups);
    check(images, {11 * 9 * 32, 1, 11 * 32, 32}, {11 * 9 * 24, 1, 11 * 24, 24});
  }
  // Rows of pixels apart: a run has the channels several times.
  const NormDesc images = group_norm_desc({2, 24, 9, 11}, 1);
  check(images, {13 * 9 * 24, 1, 13 * 24, 24}, {13 * 9 * 24, 1, 13 * 24, 24}, Output::in_place);
}

// Four of eight heads, whose rows lie beside those of the others: token t, head h at t * 1024 + h *
// 128.
TEST_F(F12Strides, F42RowsOfSomeHeadsInPlace) {
  const NormDesc heads = with_type(rms_norm_desc({7, 4, 128}), DType::bf16);
  check(heads, {1024, 128, 1}, {1024, 128, 1}, Output::in_place);
}

}  // namespace
}  // namespace fastnorm::test
