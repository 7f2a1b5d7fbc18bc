// SPDX-License-Identifier: Apache-2.0
// Every shape with a sample of the forms that a call can take: element types, residual, epilogue,
// alignments, outputs. Their full product is out of reach; each shape gets a few forms of its own,
// so that over all shapes every choice is met many times.
#include "core/enum_values.hpp"
#include "support/plans.hpp"
#include "support/random.hpp"
#include "support/trial.hpp"
#include "sweep_case.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace fastnorm::test {
namespace {

class FormSweep : public Sweep {};

TEST_P(FormSweep, MatchesTheReference) {
  Draw draw(std::hash<std::string>{}(to_text(desc())));
  // Large tensors take the oracle's time more than the back end's.
  const int forms = logical_shape(desc()).elements() < 100000 ? 8 : 3;
  for (int form = 0; form < forms; ++form) {
    const TrialSetup setup = draw_trial(draw_form(desc(), draw), draw);
    SCOPED_TRACE(describe(setup));
    const auto plan = plan_or_failure(setup.desc, target_options(backend()));
    if (!plan) continue;
    Trial trial(setup, target_memory());
    EXPECT_TRUE(run(*plan, trial));
  }
}

// A build may lack back ends for the memory space.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FormSweep);
INSTANTIATE_TEST_SUITE_P(Shapes, FormSweep,
                         ::testing::Combine(::testing::ValuesIn(target_backends()),
                                            ::testing::ValuesIn(all_sweep_shapes())),
                         name_of);

// One choice at a time, on one shape of each operation: every type with every activation, and with
// each of the other choices.
class SingleChoice : public Sweep {
 protected:
  void try_form(const NormDesc& form) {
    const auto plan = plan_or_failure(form, target_options(backend()));
    if (!plan) return;
    Trial trial(random_trial(form), target_memory());
    EXPECT_TRUE(run(*plan, trial)) << to_text(form);
  }
};

TEST_P(SingleChoice, MatchesTheReference) {
  for (const Types& types : offered_types()) {
    const NormDesc plain = with_types(desc(), types);
    for (const Activation activation : all_activations) {
      NormDesc form = plain;
      form.epilogue.activation = activation;
      try_form(form);
    }
    for (const Residual residual : {Residual::rounded_sum, Residual::exact_sum}) {
      NormDesc form = plain;
      form.residual = residual;
      try_form(form);
    }
    NormDesc form = plain;
    form.epilogue.gamma = GammaForm::centred_zero;
    try_form(form);
    form = plain;
    form.epilogue.normalised = NormalisedRounding::affine_type;
    try_form(form);
    form = plain;
    form.epilogue.modulation = Modulation::scale_shift;
    try_form(form);
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SingleChoice);
INSTANTIATE_TEST_SUITE_P(
    Shapes, SingleChoice,
    ::testing::Combine(::testing::ValuesIn(target_backends()),
                       ::testing::Values(group_norm_desc({2, 6, 5, 8}, 3),
                                         instance_norm_desc({2, 3, 72}),
                                         layer_norm_desc({3, 5, 136}), rms_norm_desc({7, 264}),
                                         channels_last(group_norm_desc({2, 24, 40}, 3)),
                                         channels_last(instance_norm_desc({2, 5, 31})),
                                         over_channels(layer_norm_desc({2, 24, 40})))),
    name_of);

}  // namespace
}  // namespace fastnorm::test
