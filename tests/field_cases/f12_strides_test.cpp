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
  /// Beside the reference, which knows nothing of strides.
  static void check(NormDesc desc, const Strides& x, const Strides& y,
                    Output output = Output::separate) {
    desc.x_strides = x;
    desc.y_strides = y;
    SCOPED_TRACE(to_text(desc));
    for (const Backend* backend : target_backends()) {
      const auto plan = plan_if_offered(desc, target_options(*backend));
      if (!plan) continue;
      TrialSetup setup = random_trial(desc);
      setup.output = output;
      Trial trial(setup, target_memory());
      EXPECT_TRUE(run(*plan, trial));
    }
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

// Four of eight heads, whose rows lie beside those of the others: token t, head h at t * 1024 + h *
// 128.
TEST_F(F12Strides, F42RowsOfSomeHeadsInPlace) {
  const NormDesc heads = with_type(rms_norm_desc({7, 4, 128}), DType::bf16);
  check(heads, {1024, 128, 1}, {1024, 128, 1}, Output::in_place);
}

}  // namespace
}  // namespace fastnorm::test
