// SPDX-License-Identifier: Apache-2.0
// F15: a tuner that runs its trials in place, on what an earlier trial has left. Each trial has to
// start from fresh inputs, or gamma and beta are applied again and again, and the winner has to
// give in place what an untuned call gives beside its input.
#include "measure/workbench.hpp"
#include "support/plans.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"
#include "tuner/search.hpp"
#include "tuner/workbench_evaluator.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace fastnorm::tuner {
namespace {

using test::target_memory;
using test::Trial;
using test::TrialSetup;
using test::Values;

constexpr std::uint64_t seed = 15;

/// The workbench's evaluator, looked at after each trial.
class WatchedEvaluator final : public Evaluator {
 public:
  WatchedEvaluator(const Problem& problem, const DeviceInfo& device, measure::Workbench& workbench)
      : problem_(problem), workbench_(workbench), evaluator_(problem, device, workbench), x_(x()) {}

  Status verify(const Contender& contender) override {
    return watched(contender, evaluator_.verify(contender));
  }
  Status verify_in_place(const Contender& contender) override {
    ++in_place_;
    // Twice, for the second to meet what the first has left.
    Status first = watched(contender, evaluator_.verify_in_place(contender));
    return first.ok() ? watched(contender, evaluator_.verify_in_place(contender)) : first;
  }
  Result<std::vector<double>> time(const Contender& contender,
                                   const measure::SampleLimits& limits) override {
    return watched(contender, evaluator_.time(contender, limits));
  }
  Status health() override { return evaluator_.health(); }

  std::vector<std::uint8_t> x() const {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(problem_.x_bytes()));
    target_memory().read(bytes.data(), workbench_.args().x, bytes.size());
    return bytes;
  }
  int in_place() const noexcept { return in_place_; }

 private:
  template <class Answer>
  Answer watched(const Contender& contender, Answer answer) const {
    EXPECT_TRUE(answer.ok()) << contender.text();
    EXPECT_TRUE(x() == x_) << "x is another after a trial of " << contender.text();
    return answer;
  }

  const Problem& problem_;
  measure::Workbench& workbench_;
  WorkbenchEvaluator evaluator_;
  const std::vector<std::uint8_t> x_;
  int in_place_ = 0;
};

class F15TrialsInPlace : public test::TargetTestWithParam<NormDesc> {
 protected:
  /// The problem's gamma and beta on the workbench.
  static void set_affine(const measure::Workbench& workbench, const TrialSetup& setup) {
    const NormArgs args = workbench.args();
    for (const auto& [tensor, values] :
         {std::pair{args.gamma, setup.inputs.gamma}, {args.beta, setup.inputs.beta}}) {
      const std::vector<std::uint8_t> bytes = test::encode(setup.desc.affine_type, values.value());
      target_memory().write(const_cast<void*>(tensor), bytes.data(), bytes.size());
    }
  }
};

TEST_P(F15TrialsInPlace, TheWinnerGivesInPlaceWhatAnUntunedCallGivesBesideItsInput) {
  const NormDesc& desc = GetParam();
  const Problem problem = Problem::create(desc).value();
  for (const Backend* backend : test::target_backends()) {
    SCOPED_TRACE(backend->name());
    const auto untuned = test::plan_or_failure(desc, test::target_options(*backend));
    if (!untuned) continue;
    const DeviceInfo& device = *backend->device(-1).value();
    auto made = measure::make_workbench(device);
    ASSERT_TRUE(made.ok()) << made.status().message();
    measure::Workbench& workbench = *made.value();
    const Status loaded = workbench.load(desc, measure::Affine::present, seed);
    ASSERT_TRUE(loaded.ok()) << loaded.message();

    WatchedEvaluator evaluator(problem, device, workbench);
    TrialSetup setup;
    setup.desc = desc;
    setup.inputs.x = test::decode(desc.x_type, evaluator.x());
    const std::size_t channels = test::logical_shape(desc).c;
    setup.inputs.gamma = Values(channels, 2);
    setup.inputs.beta = Values(channels, 3);
    set_affine(workbench, setup);

    const Result<SearchSpace> space = make_search_space(problem, {backend, &device}, {});
    ASSERT_TRUE(space.ok()) << space.status().message();
    constexpr std::size_t candidates = 12;
    const Result<Outcome> outcome =
        search(space.value(), evaluator, {}, Allowance::evaluations(candidates), {});
    ASSERT_TRUE(outcome.ok()) << outcome.status().message();
    EXPECT_TRUE(outcome.value().rejected.empty());
    EXPECT_GE(evaluator.in_place(), 1);

    const Contender& winner = outcome.value().best.winner.contender;
    PlanOptions options = test::target_options(*backend);
    options.strategy = winner.variant->name();
    options.config = winner.config.text();
    const Result<Plan> tuned = Plan::create(desc, options);
    ASSERT_TRUE(tuned.ok()) << tuned.status().message();

    Trial beside(setup, target_memory());
    ASSERT_TRUE(test::run(*untuned, beside));
    setup.output = test::Output::in_place;
    Trial in_place(setup, target_memory());
    ASSERT_TRUE(test::run(tuned.value(), in_place));
    Values tolerance = beside.tolerance();
    for (double& t : tolerance) t *= 2;  // Both may err.
    EXPECT_TRUE(test::all_within("y", in_place.y(), beside.y(), tolerance)) << winner.text();
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, F15TrialsInPlace,
                         ::testing::Values(test::group_norm_desc({4, 32, 31, 33}, 8),
                                           test::instance_norm_desc({1, 2, 70001}),
                                           test::with_type(test::layer_norm_desc({64, 1000}),
                                                           DType::bf16)),
                         [](const auto& info) { return test::to_identifier(info.param); });

}  // namespace
}  // namespace fastnorm::tuner
