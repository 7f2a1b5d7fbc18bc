// SPDX-License-Identifier: Apache-2.0
/// The strategies of the cuda back end by their names, each in a call of its kind: for what has to
/// hold whichever of them runs.
#pragma once

#include "backends/cuda/column_config.hpp"
#include "backends/cuda/row_config.hpp"
#include "core/config.hpp"
#include "core/problem.hpp"
#include "cuda/cuda_target.hpp"
#include "support/captured_graph.hpp"
#include "support/shapes.hpp"

#include <fastnorm/plan.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace fastnorm::test {

struct ForcedStrategy {
  std::string name;  ///< An identifier.
  std::string strategy;
  std::string kernel;    ///< A part of the name of (one of) its kernels.
  std::string config{};  ///< Empty: the strategy's default.
  NormDesc desc;

  PlanOptions options() const { return cuda_options(strategy, config); }

  /// Whether the device can run it at all. Starts the driver.
  Support support() const {
    const KernelVariant& variant = *find_variant(cuda_backend(), strategy);
    const Problem problem = Problem::create(desc).value();
    if (config.empty()) return variant.supports(problem, cuda_device());
    const Config typed = variant.parse_config(parse_config_text(config).value()).value();
    return variant.supports(problem, cuda_device(), typed);
  }

  /// Whether its kernel is among these: a strategy may leave a call to another's.
  bool is_among(const std::vector<CapturedGraph::Kernel>& kernels) const {
    for (const CapturedGraph::Kernel& one : kernels) {
      if (one.name().find(kernel) != std::string::npos) return true;
    }
    return false;
  }
};

/// How GoogleTest prints it.
inline void PrintTo(const ForcedStrategy& forced, std::ostream* out) { *out << forced.name; }

/// A team of two blocks.
inline std::string stream_pairs(cuda::Exchange exchange) {
  cuda::StreamConfig config;
  config.blocks_per_row = 2;
  config.exchange = exchange;
  return Config::of(config).text();
}

inline std::string window_pairs() {
  cuda::WindowConfig config;
  config.blocks_per_row = 2;
  return Config::of(cuda::scalar(config)).text();  // For every element type.
}

inline std::string stream_column_pairs(cuda::Exchange exchange) {
  cuda::StreamColumnsConfig config;
  config.blocks_per_tile = 2;
  config.exchange = exchange;
  return Config::of(config).text();
}

/// Of vectors of four columns, as of f32 and both halves.
inline std::string resident_columns(int cluster, int threads) {
  cuda::ResidentColumnsConfig config;
  config.tile = 16;
  config.cluster = cluster;
  config.threads = threads;
  config.unroll = 4;
  return Config::of(config).text();
}

/// Of 64 columns.
inline NormDesc channels_last_desc() { return channels_last(group_norm_desc({3, 64, 2000}, 8)); }

/// Those whose blocks wait for each other: in cooperative grids or in clusters.
inline std::vector<ForcedStrategy> waiting_strategies() {
  // With a residual, since a kernel that two of them shared would be a known one to the second.
  NormDesc of_sums = layer_norm_desc({24, 20003});
  of_sums.residual = Residual::rounded_sum;
  NormDesc channels_last_of_sums = channels_last_desc();
  channels_last_of_sums.residual = Residual::rounded_sum;
  return {{"cluster_row", "cluster_row", "cluster_row_kernel", "", layer_norm_desc({24, 8001})},
          {"stream_row_in_memory", "stream_row", "stream_row_kernel",
           stream_pairs(cuda::Exchange::memory), layer_norm_desc({24, 20003})},
          {"stream_row_in_clusters", "stream_row", "stream_row_kernel",
           stream_pairs(cuda::Exchange::cluster), of_sums},
          {"window_row", "window_row", "window_row_kernel", window_pairs(),
           layer_norm_desc({24, 20003})},
          {"stream_columns_in_memory", "stream_columns", "stream_columns_kernel",
           stream_column_pairs(cuda::Exchange::memory), channels_last_desc()},
          {"stream_columns_in_clusters", "stream_columns", "stream_columns_kernel",
           stream_column_pairs(cuda::Exchange::cluster), channels_last_of_sums},
          {"resident_columns_in_clusters", "resident_columns", "resident_columns_kernel",
           resident_columns(4, 512), channels_last_of_sums}};
}

inline std::vector<ForcedStrategy> independent_strategies() {
  const NormDesc long_rows = group_norm_desc({2, 4, 30011}, 2);
  return {
      {"warp_row", "warp_row", "warp_row_kernel", "", layer_norm_desc({64, 1000})},
      {"resident_row", "resident_row", "resident_row_kernel", "", layer_norm_desc({32, 4099})},
      {"split_two_kernel", "split_two_kernel", "PartialReduction", "", long_rows},
      {"split_atomic", "split_atomic", "AtomicReduction", "", long_rows},
      {"block_row", "block_row", "block_row_kernel", "", layer_norm_desc({16, 3001})},
      {"split_columns", "split_columns", "split_columns_apply_kernel", "", channels_last_desc()},
      {"resident_columns", "resident_columns", "resident_columns_kernel", resident_columns(1, 64),
       channels_last(group_norm_desc({3, 64, 49}, 8))},
      {"strided_row", "strided_row", "strided_row_kernel", "",
       channels_last(group_norm_desc({3, 24, 9, 7}, 6))}};
}

inline std::vector<ForcedStrategy> forced_strategies() {
  std::vector<ForcedStrategy> all = waiting_strategies();
  for (const ForcedStrategy& one : independent_strategies()) all.push_back(one);
  return all;
}

}  // namespace fastnorm::test
