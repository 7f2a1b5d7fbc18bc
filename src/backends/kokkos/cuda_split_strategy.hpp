// SPDX-License-Identifier: Apache-2.0
/// What the strategies of kokkos-cuda that split rows share.
#pragma once

#include "backends/kokkos/cuda_team_strategy.hpp"
#include "backends/kokkos/parts.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace fastnorm::kokkos {

/// Parts a row, at most.
inline constexpr int max_splits = 1024;
inline constexpr std::array<int, 3> split_team_sizes{512, 256, 128};

/// Those to search. Parts that do not fill a team are overhead only.
inline std::vector<int> split_counts(const Problem& problem) {
  std::vector<int> counts;
  for (int splits = 2; splits <= max_splits; splits *= 2) {
    if (splits > 2 && Parts::of(problem.row_len(), splits).part_len < 1024) break;
    counts.push_back(splits);
  }
  return counts;
}

/// Moments of every part into the workspace, then each part applied.
template <class Passes>
class SplitExecutable final : public Executable {
 public:
  SplitExecutable(const Problem& problem, int splits, int team_size)
      : call_(Normalization::of(problem)),
        parts_(Parts::of(problem.row_len(), splits)),
        team_size_(team_size) {}

  std::size_t workspace_bytes() const noexcept override {
    return static_cast<std::size_t>(tasks()) * sizeof(Moments);
  }
  bool accepts(const NormArgs& args) const noexcept override {
    return aligned_to_pack(call_, args, Passes::width);
  }

  Status launch(const NormArgs& args, void* workspace, Stream stream) const override {
    if (Status status = check_runtime(); !status.ok()) return status;
    const Result<Kokkos::Cuda> space = cuda_space(stream);
    if (!space.ok()) return space.status();
    const Normalization call = call_.with(args);
    const TeamPolicy<Kokkos::Cuda> teams(space.value(), league_size(tasks()), team_size_);
    auto* partials = static_cast<Moments*>(workspace);
    if (Status status = dispatch_teams(
            "fastnorm::parts", teams, TeamReducePart<Kokkos::Cuda, Passes>{call, parts_, partials});
        !status.ok()) {
      return status;
    }
    return dispatch_teams("fastnorm::apply", teams,
                          TeamApplyPart<Kokkos::Cuda, Passes>{call, parts_, partials});
  }

 private:
  std::int64_t tasks() const noexcept { return call_.rows * parts_.per_row; }

  Normalization call_;
  Parts parts_;
  int team_size_;
};

/// Of its two kernels, whose threads move `excess` times the bytes of their elements.
inline double split_us(const Problem& problem, const DeviceInfo& device, int splits, int team_size,
                       const UnderWay& under_way, double excess) {
  constexpr double partial_us = 0.2;  // Of a row, each merged by one of the team's threads.
  const Parts parts = Parts::of(problem.row_len(), splits);
  const double tasks = static_cast<double>(problem.rows() * parts.per_row);
  const double read_bytes = excess * input_bytes(problem, parts.part_len);
  const double written_bytes = excess * output_bytes(problem, parts.part_len);
  const bool cached = found_again(device, read_bytes * tasks);
  const double exchange = exchange_us(team_size);
  const DevicePass first{
      tasks, read_bytes,
      load_rounds(parts.part_len, team_size, under_way.reading) * under_way.load_us(false) +
          exchange,
      team_size};
  const DevicePass second{
      tasks, written_bytes + (cached ? 0.3 : 1.0) * read_bytes,
      load_rounds(parts.part_len, team_size, under_way.writing) * under_way.load_us(cached) +
          load_rounds(parts.per_row, team_size, 1) * partial_us + exchange,
      team_size};
  return 2 * launch_us + first.us(device) + second.us(device);
}

}  // namespace fastnorm::kokkos
