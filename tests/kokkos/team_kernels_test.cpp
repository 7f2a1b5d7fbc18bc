// The kernels of the team strategies, on the host space: the same source that runs on devices.
#include "backends/kokkos/host_dispatch.hpp"
#include "backends/kokkos/team_functors.hpp"
#include "support/shapes.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace fastnorm::kokkos {
namespace {

using test::Trial;
using test::TrialSetup;

template <class Functor>
void dispatch(std::int64_t items, const Functor& functor) {
  Kokkos::parallel_for("test", TeamPolicy<HostSpace>(HostSpace(), league_size(items), 1), functor);
  Kokkos::fence();
}

template <int Width>
void run_team_row(const Trial& trial) {
  const Problem problem = Problem::create(trial.setup().desc).value();
  const Normalization call = Normalization::of(problem).with(trial.args());
  dispatch(call.rows, TeamRow<HostSpace, Width>{call});
}

template <int Width>
void run_team_split(const Trial& trial, std::int64_t splits) {
  const Problem problem = Problem::create(trial.setup().desc).value();
  const Normalization call = Normalization::of(problem).with(trial.args());
  const Parts parts = Parts::of(call.row_len, splits);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Moments> partials(static_cast<std::size_t>(call.rows * parts.per_row),
                                Moments{nan, nan, nan});
  const std::int64_t tasks = call.rows * parts.per_row;
  dispatch(tasks, TeamReducePart<HostSpace, Width>{call, parts, partials.data()});
  dispatch(tasks, TeamApplyPart<HostSpace, Width>{call, parts, partials.data()});
}

class TeamKernels : public ::testing::TestWithParam<NormDesc> {
 protected:
  void SetUp() override {
    const Status status = start_runtime();
    ASSERT_TRUE(status.ok()) << status.message();
  }

  /// Rows that all start at a pack's boundary.
  static bool takes_packs() {
    const Problem problem = Problem::create(GetParam()).value();
    return problem.rows() == 1 || problem.row_len() % 4 == 0;
  }
};

TEST_P(TeamKernels, TeamRow) {
  for (const test::Output output : {test::Output::separate, test::Output::in_place}) {
    TrialSetup setup = test::random_trial(GetParam());
    setup.output = output;
    Trial trial(setup, test::host_memory());
    run_team_row<1>(trial);
    EXPECT_TRUE(trial.check());
    if (!takes_packs()) continue;
    trial.reset();
    run_team_row<4>(trial);
    EXPECT_TRUE(trial.check());
  }
}

TEST_P(TeamKernels, SplitRows) {
  for (const test::Output output : {test::Output::separate, test::Output::in_place}) {
    TrialSetup setup = test::random_trial(GetParam());
    setup.output = output;
    Trial trial(setup, test::host_memory());
    for (const std::int64_t splits : {1, 2, 3, 64}) {
      trial.reset();
      run_team_split<1>(trial, splits);
      EXPECT_TRUE(trial.check()) << splits << " splits";
      if (!takes_packs()) continue;
      trial.reset();
      run_team_split<4>(trial, splits);
      EXPECT_TRUE(trial.check()) << splits << " splits, packs";
    }
  }
}

std::vector<NormDesc> shapes_with_elements() {
  std::vector<NormDesc> shapes;
  for (const NormDesc& desc : test::sweep_shapes()) {
    const Problem problem = Problem::create(desc).value();
    if (!problem.empty() && problem.elements() < 1 << 20) shapes.push_back(desc);
  }
  return shapes;
}

INSTANTIATE_TEST_SUITE_P(Shapes, TeamKernels, ::testing::ValuesIn(shapes_with_elements()),
                         [](const auto& info) { return test::to_identifier(info.param); });

}  // namespace
}  // namespace fastnorm::kokkos
