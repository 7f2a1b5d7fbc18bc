// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/resident_space.hpp"

#include "backends/cuda/kernel_launch.hpp"
#include "backends/cuda/row_space.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace fastnorm::cuda {
namespace {

std::string joined(const std::vector<int>& values) {
  std::string text;
  for (const int value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return text;
}

}  // namespace

int fitting_threads(std::int64_t length, int vec_width, int unroll) noexcept {
  constexpr int warp = 32;
  // No more than a caller can compare with a block's limit.
  constexpr std::int64_t far_too_many = 1 << 20;
  const std::int64_t a_warp_holds = std::int64_t{warp} * unroll;
  const std::int64_t vectors = most_vectors(length, vec_width);
  const std::int64_t threads = (vectors + a_warp_holds - 1) / a_warp_holds * warp;
  return static_cast<int>(std::clamp<std::int64_t>(threads, fewest_threads, far_too_many));
}

const std::vector<int>& resident_unrolls(int vec_width) {
  static const auto& scalar = *new std::vector<int>{1, scalar_unroll};
  static const auto& vector = *new std::vector<int>{1, 4, 8};
  return vec_width == 1 ? scalar : vector;
}

bool leaves_unroll_idle(std::int64_t length, const ResidentConfig& config) noexcept {
  return config.unroll > 1 && config.threads == fewest_threads &&
         most_vectors(length, config.vec_width) <= std::int64_t{fewest_threads} * config.unroll / 2;
}

double most_thread_vectors(double block_len, const ResidentConfig& config) noexcept {
  constexpr int warp_lanes = 32;
  return std::min<double>(config.unroll, std::ceil(block_len / config.vec_width / warp_lanes));
}

std::int64_t longest_part(const Problem& problem, std::int64_t threads) noexcept {
  const int vec_width = widest_load(problem);
  return resident_capacity(threads, vec_width, resident_unrolls(vec_width).back());
}

std::int64_t longest_part_of_block(const Problem& problem, const DeviceInfo& device) noexcept {
  const int vec_width = widest_load(problem);
  const int most_threads = resident_max_threads(resident_unrolls(vec_width).back());
  return longest_part(problem, std::min(most_threads, device.max_threads_per_block));
}

Support supports_resident(const Problem& problem) {
  const NormDesc& desc = problem.desc();
  if (desc.residual == Residual::exact_sum && size_of(desc.x_type) == 2) {
    return Support::no(std::string("an exact sum of ") + to_string(desc.x_type) +
                       " tensors does not fit the registers that hold a row of that type");
  }
  if (problem.rows() > most_grid_blocks) {
    return Support::no(std::to_string(problem.rows()) + " rows are more than a grid has blocks, " +
                       std::to_string(most_grid_blocks));
  }
  return Support::yes();
}

Support supports_resident_config(const Problem& problem, const DeviceInfo& device,
                                 const ResidentConfig& config, int most_threads) {
  if (Support support = supports_vec_width(problem, config.vec_width); !support.ok) return support;
  const std::vector<int>& unrolls = resident_unrolls(config.vec_width);
  if (std::find(unrolls.begin(), unrolls.end(), config.unroll) == unrolls.end()) {
    return Support::no("unroll=" + std::to_string(config.unroll) + " must be one of " +
                       joined(unrolls) + " with this vec_width");
  }
  const int most = std::min(most_threads, device.max_threads_per_block);
  if (config.threads < 32 || config.threads > most || config.threads % 32 != 0) {
    return Support::no("threads=" + std::to_string(config.threads) +
                       " must be a multiple of 32 from 32 to " + std::to_string(most) +
                       " with this unroll");
  }
  return Support::yes();
}

}  // namespace fastnorm::cuda
