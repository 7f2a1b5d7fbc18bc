// SPDX-License-Identifier: Apache-2.0
// The kernels of the team strategies, on the host space: the same source that runs on devices.
#include "backends/kokkos/team_kernels.hpp"

#include "backends/kokkos/column_kernels.hpp"
#include "backends/kokkos/host_dispatch.hpp"
#include "backends/kokkos/strided_kernels.hpp"
#include "backends/kokkos/team_functors.hpp"
#include "support/places.hpp"
#include "support/random.hpp"
#include "support/shapes.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <type_traits>
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

template <class Passes>
void run_team_row(const Trial& trial) {
  const Problem problem = Problem::create(trial.setup().desc).value();
  const Normalization call = Normalization::of(problem).with(trial.args());
  dispatch(call.rows, TeamRow<HostSpace, Passes>{call});
}

template <class Passes>
void run_lanes_row(const Trial& trial, int lanes) {
  const Problem problem = Problem::create(trial.setup().desc).value();
  const Normalization call = Normalization::of(problem).with(trial.args());
  dispatch(call.rows, LanesRow<HostSpace, Passes>{call, lanes});
}

template <class Passes>
void run_team_split(const Trial& trial, std::int64_t splits) {
  const Problem problem = Problem::create(trial.setup().desc).value();
  const Normalization call = Normalization::of(problem).with(trial.args());
  const Parts parts = Parts::of(call.row_len, splits);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Moments> partials(static_cast<std::size_t>(call.rows * parts.per_row),
                                Moments{nan, nan, nan});
  const std::int64_t tasks = call.rows * parts.per_row;
  dispatch(tasks, TeamReducePart<HostSpace, Passes>{call, parts, partials.data()});
  dispatch(tasks, TeamApplyPart<HostSpace, Passes>{call, parts, partials.data()});
}

template <class T, int Width>
void run_columns(const Trial& trial, const ColumnMatrix& matrix, const ColumnTeams& teams,
                 std::int64_t splits) {
  const Problem problem = Problem::create(trial.setup().desc).value();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Parts parts = Parts::of(matrix.positions, splits);
  std::vector<Moments> partials(static_cast<std::size_t>(problem.rows() * parts.per_row),
                                Moments{nan, nan, nan});
  const ColumnTasks tasks{Normalization::of(problem).with(trial.args()), matrix, teams, parts,
                          partials.data()};
  const auto dispatch_with_scratch = [&](const auto& functor) {
    TeamPolicy<HostSpace> policy(HostSpace(), league_size(tasks.count()), 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(functor.scratch_bytes())));
    Kokkos::parallel_for("test", policy, functor);
    Kokkos::fence();
  };
  dispatch_with_scratch(ColumnReducePart<HostSpace, T, Width>{tasks});
  dispatch_with_scratch(ColumnApplyPart<HostSpace, T, Width>{tasks});
}

/// With teams of any size that suffices for a group, as columns of x's type `T`.
template <class T, int Width>
void expect_right_columns(Trial& trial, const std::vector<std::int64_t>& splits) {
  const auto matrix = column_matrix(Problem::create(trial.setup().desc).value());
  if (!matrix || matrix->affine != AffineAxis::column) return;
  for (const int threads : {4, 128}) {
    const ColumnTeams teams = ColumnTeams::of(*matrix, threads, Width);
    if (teams.lines == 0 || !fills_packs(*matrix, Width)) continue;
    for (const std::int64_t count : splits) {
      trial.reset();
      run_columns<T, Width>(trial, *matrix, teams, count);
      EXPECT_TRUE(trial.check()) << "columns, " << threads << " threads, width " << Width << ", "
                                 << count << " splits";
    }
  }
}

/// Packs as devices have them, but not of two doubles: GCC 12 drops the rounding to float and back
/// of exactly two.
template <class T>
inline constexpr int wide = widest_pack<T> == 2 ? 4 : widest_pack<T>;

/// Every kernel with these passes.
template <class Passes>
void expect_right_passes(Trial& trial, const std::vector<std::int64_t>& splits) {
  SCOPED_TRACE(Passes::width);
  trial.reset();
  run_team_row<Passes>(trial);
  EXPECT_TRUE(trial.check()) << "rows by teams";
  for (const int lanes : {1, 32}) {
    trial.reset();
    run_lanes_row<Passes>(trial, lanes);
    EXPECT_TRUE(trial.check()) << "rows by " << lanes << " lanes";
  }
  for (const std::int64_t count : splits) {
    trial.reset();
    run_team_split<Passes>(trial, count);
    EXPECT_TRUE(trial.check()) << count << " splits";
  }
}

/// With all passes that find their way through the tensors.
void expect_right(const TrialSetup& setup, const std::vector<std::int64_t>& splits) {
  Trial trial(setup, test::host_memory());
  with_dtype(setup.desc.x_type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    expect_right_passes<StridedPasses<T>>(trial, splits);
    expect_right_columns<T, 1>(trial, splits);
    expect_right_columns<T, 4>(trial, splits);
    if (!Problem::create(setup.desc).value().dense_rows()) return;
    expect_right_passes<DensePasses<T, 1>>(trial, splits);
    expect_right_passes<DensePasses<T, wide<T>>>(trial, splits);
  });
}

class TeamKernels : public ::testing::TestWithParam<NormDesc> {
 protected:
  void SetUp() override {
    const Status status = start_runtime();
    ASSERT_TRUE(status.ok()) << status.message();
  }
};

TEST_P(TeamKernels, MatchTheReference) {
  for (const test::Output output : {test::Output::separate, test::Output::in_place}) {
    TrialSetup setup = test::random_trial(GetParam());
    setup.output = output;
    expect_right(setup, {1, 2, 3, 64});
  }
}

/// Whatever a descriptor can ask for, at pointers that suit packs.
TEST_P(TeamKernels, FormsMatchTheReference) {
  test::Draw draw(std::hash<std::string>{}(test::to_text(GetParam())));
  for (int form = 0; form < 6; ++form) {
    TrialSetup setup = test::draw_trial(test::draw_form(GetParam(), draw), draw);
    setup.offsets = {};
    SCOPED_TRACE(test::describe(setup));
    expect_right(setup, {3});
  }
}

/// Channels-last, strides, rows side by side.
TEST_P(TeamKernels, WalkOtherMemory) {
  test::Draw draw(std::hash<std::string>{}(test::to_text(GetParam())));
  for (const NormDesc& desc : test::other_layouts(GetParam())) {
    TrialSetup setup = test::draw_trial(test::draw_form(desc, draw), draw);
    setup.offsets = {};
    SCOPED_TRACE(test::describe(setup));
    expect_right(setup, {3});
  }
}

std::vector<NormDesc> shapes_with_elements() {
  std::vector<NormDesc> shapes;
  for (const NormDesc& desc : test::all_sweep_shapes()) {
    const Problem problem = Problem::create(desc).value();
    if (!problem.empty() && problem.elements() < 1 << 18) shapes.push_back(desc);
  }
  return shapes;
}

INSTANTIATE_TEST_SUITE_P(Shapes, TeamKernels, ::testing::ValuesIn(shapes_with_elements()),
                         [](const auto& info) { return test::to_identifier(info.param); });

}  // namespace
}  // namespace fastnorm::kokkos
