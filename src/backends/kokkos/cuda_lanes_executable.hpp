// SPDX-License-Identifier: Apache-2.0
/// Rows by a few lanes each, many of them in a team.
#pragma once

#include "backends/kokkos/cuda_team_strategy.hpp"

#include <cstdint>

namespace fastnorm::kokkos {

template <class Passes>
class LanesExecutable final : public Executable {
 public:
  LanesExecutable(const Problem& problem, int lanes)
      : call_(Normalization::of(problem)), lanes_(lanes) {}

  std::size_t workspace_bytes() const noexcept override { return 0; }
  bool accepts(const NormArgs& args) const noexcept override {
    return aligned_to_pack(call_, args, Passes::width);
  }

  Status launch(const NormArgs& args, void*, Stream stream) const override {
    if (Status status = check_runtime(); !status.ok()) return status;
    const Result<Kokkos::Cuda> space = cuda_space(stream);
    if (!space.ok()) return space.status();
    constexpr int team_threads = 128;  // Over all of a team's rows.
    const int rows_per_team = team_threads / lanes_;
    const std::int64_t teams = (call_.rows + rows_per_team - 1) / rows_per_team;
    return dispatch_teams("fastnorm::rows",
                          {space.value(), league_size(teams), rows_per_team, lanes_},
                          LanesRow<Kokkos::Cuda, Passes>{call_.with(args), lanes_});
  }

 private:
  Normalization call_;
  int lanes_;
};

}  // namespace fastnorm::kokkos
