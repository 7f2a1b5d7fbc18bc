// SPDX-License-Identifier: Apache-2.0
// Trials of every form against a call that writes the reference's own results, right and wrong.
#include "support/trial.hpp"

#include "support/random.hpp"
#include "support/shapes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace fastnorm::test {
namespace {

void store(void* to, DType type, const Values& values) {
  if (to == nullptr) return;
  const std::vector<std::uint8_t> bytes = encode(type, values);
  std::memcpy(to, bytes.data(), bytes.size());
}

class TrialForms : public ::testing::Test {
 protected:
  /// The test's body for many drawn trials.
  template <class Body>
  void for_drawn_trials(const Body& body) {
    for (int i = 0; i < 300; ++i) {
      const NormDesc shape =
          draw_.once_in(2) ? layer_norm_desc({2, 3, 40}) : group_norm_desc({2, 6, 7}, 3);
      const TrialSetup setup = draw_trial(draw_form(shape, draw_), draw_);
      SCOPED_TRACE(describe(setup));
      Trial trial(setup, host_memory());
      body(trial);
      if (HasFailure()) return;
    }
  }

  Draw draw_{17};
};

TEST_F(TrialForms, AcceptTheReferenceItself) {
  for_drawn_trials([](Trial& trial) {
    EXPECT_TRUE(trial.untouched());
    EXPECT_FALSE(trial.check()) << "nothing has run";
    trial.pretend();
    EXPECT_TRUE(trial.check());
    EXPECT_FALSE(trial.untouched());
    trial.reset();
    EXPECT_TRUE(trial.untouched());
  });
}

TEST_F(TrialForms, RefuseAWrongElementOfY) {
  for_drawn_trials([this](Trial& trial) {
    trial.pretend();
    Values y = trial.y();
    const std::size_t i = draw_.below(y.size());
    y[i] += 2 * trial.tolerance()[i] + 0.1 * std::abs(y[i]);
    store(trial.args().y, trial.setup().desc.y_type, y);
    EXPECT_FALSE(trial.check());
  });
}

TEST_F(TrialForms, RefuseASumThatIsOffByTheLastDigit) {
  for_drawn_trials([](Trial& trial) {
    const NormArgs args = trial.args();
    if (args.sum == nullptr) return;
    trial.pretend();
    static_cast<std::uint8_t*>(args.sum)[0] ^= 1;
    EXPECT_FALSE(trial.check());
  });
}

TEST_F(TrialForms, RefuseAnInputThatHasChanged) {
  for_drawn_trials([](Trial& trial) {
    const NormArgs args = trial.args();
    for (const void* input :
         {args.x, args.residual, args.gamma, args.beta, args.scale, args.shift}) {
      if (input == nullptr || input == args.y || input == args.sum) continue;
      trial.reset();
      trial.pretend();
      static_cast<std::uint8_t*>(const_cast<void*>(input))[1] ^= 1;
      EXPECT_FALSE(trial.check());
    }
  });
}

TEST_F(TrialForms, RefuseAWriteBesideATensor) {
  for_drawn_trials([](Trial& trial) {
    trial.pretend();
    static_cast<std::uint8_t*>(trial.args().y)[-1] ^= 1;
    EXPECT_FALSE(trial.check());
  });
}

}  // namespace
}  // namespace fastnorm::test
