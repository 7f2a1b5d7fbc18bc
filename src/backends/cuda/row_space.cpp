// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/row_space.hpp"

#include "backends/cuda/priorities.hpp"
#include "core/strided_axes.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace fastnorm::cuda {
namespace {

/// Where rows are shorter than this, single elements may keep more threads busy.
constexpr std::int64_t short_row = 1024;

constexpr int unrolls[] = {1, 4};

/// Row numbers that 31 bits hold, so that they can be divided fast.
constexpr std::int64_t most_narrow_rows = std::numeric_limits<std::int32_t>::max();

/// Elements from the last boundary of a vector up to the pointer.
std::uintptr_t phase(const void* pointer, DType type, int vec_width) {
  return reinterpret_cast<std::uintptr_t>(pointer) / size_of(type) %
         static_cast<std::uintptr_t>(vec_width);
}

/// Of y: where its elements are wider, a vector of x becomes several accesses.
int y_vec_width(const Problem& problem, int vec_width) noexcept {
  return std::min(vec_width, full_vec_width(problem.desc().y_type));
}

/// What the epilogue of a vector counts on, or it has to go element by element.
bool vectors_meet_two_channels(const Problem& problem) noexcept {
  const std::int64_t inner = problem.affine().inner;
  return inner == 1 || inner >= full_vec_width(problem.desc().x_type) - 1;
}

/// Whether from one row to the next x and y move by as much, but for whole vectors.
bool rows_keep_phase(const Problem& problem) noexcept {
  const RowMemory& memory = problem.memory();
  const std::int64_t width = y_vec_width(problem, full_vec_width(problem.desc().x_type));
  return (memory.x.row - memory.y.row) % width == 0 &&
         (memory.x.outer - memory.y.outer) % width == 0;
}

}  // namespace

Support walks_contiguous_rows(const Problem& problem) {
  if (!problem.contiguous_rows()) {
    const NormDesc& desc = problem.desc();
    return Support::no("a row's elements must follow each other, channel by channel; here " +
                       shown_x_strides(desc) + ", " + shown_y_strides(desc));
  }
  if (problem.memory().outers > 1 && problem.rows() > most_narrow_rows) {
    return Support::no(std::to_string(problem.rows()) +
                       " rows are too many to lie at two distances; at most " +
                       std::to_string(most_narrow_rows));
  }
  return Support::yes();
}

int full_vec_width(DType type) noexcept { return static_cast<int>(16 / size_of(type)); }

Support supports_vectors(const Problem& problem) {
  if (!vectors_meet_two_channels(problem)) {
    return Support::no("channels of " + std::to_string(problem.affine().inner) +
                       " elements are too short for accesses of 16 bytes");
  }
  if (!rows_keep_phase(problem)) {
    const NormDesc& desc = problem.desc();
    return Support::no("x and y must have each row equally far from a boundary of 16 bytes; here " +
                       shown_x_strides(desc) + ", " + shown_y_strides(desc));
  }
  return Support::yes();
}

int widest_load(const Problem& problem) noexcept {
  const bool has_vectors = vectors_meet_two_channels(problem) && rows_keep_phase(problem);
  return has_vectors ? full_vec_width(problem.desc().x_type) : 1;
}

bool whole_vectors(const Problem& problem, int vec_width) noexcept {
  const RowMemory& memory = problem.memory();
  return problem.row_len() % vec_width == 0 && memory.x.row % vec_width == 0 &&
         memory.x.outer % vec_width == 0;
}

Support supports_vec_width(const Problem& problem, int vec_width) {
  const int full = full_vec_width(problem.desc().x_type);
  if (vec_width != 1 && vec_width != full) {
    return Support::no("vec_width=" + std::to_string(vec_width) + " must be 1 or " +
                       std::to_string(full));
  }
  if (vec_width == 1) return Support::yes();
  Support support = supports_vectors(problem);
  if (!support.ok) {
    support.reason = "vec_width=" + std::to_string(vec_width) + " must be 1: " + support.reason;
  }
  return support;
}

int largest_block(const Problem& problem, const DeviceInfo& device, KernelShape shape) noexcept {
  const int words = problem.accumulation_type() == DType::f64 ? 4 : 1;  // As value_words().
  return std::min(max_threads(words * shape.vec_width * shape.unroll),
                  device.max_threads_per_block);
}

Support supports_row_config(const Problem& problem, const DeviceInfo& device,
                            const RowConfig& config) {
  if (Support support = supports_vec_width(problem, config.vec_width); !support.ok) return support;
  if (config.vec_width == 1 && config.unroll != scalar_unroll) {
    return Support::no("unroll=" + std::to_string(config.unroll) + " must be " +
                       std::to_string(scalar_unroll) + " with vec_width=1");
  }
  if (std::find(std::begin(unrolls), std::end(unrolls), config.unroll) == std::end(unrolls)) {
    return Support::no("unroll=" + std::to_string(config.unroll) + " must be 1 or 4");
  }
  const int most = largest_block(problem, device, config.shape());
  if (config.threads < 64 || config.threads > most || config.threads % 32 != 0) {
    return Support::no("threads=" + std::to_string(config.threads) +
                       " must be a multiple of 32 from 64 to " + std::to_string(most) +
                       " with this vec_width and unroll");
  }
  return Support::yes();
}

bool exceeds_l2(const Problem& problem, const DeviceInfo& device) noexcept {
  return problem.moved_bytes() > device.l2_bytes / 2;
}

std::vector<RowConfig> row_configs(const Problem& problem, const DeviceInfo& device,
                                   std::int64_t block_len) {
  std::vector<RowConfig> configs;
  const bool has_vectors = widest_load(problem) > 1;
  const auto add = [&](const RowConfig& config) {
    if (supports_row_config(problem, device, config).ok) configs.push_back(config);
  };
  for (const int threads : {64, 128, 256, 512, 1024}) {
    for (const int vec_width : {1, full_vec_width(problem.desc().x_type)}) {
      if (vec_width == 1 && block_len >= short_row && has_vectors) continue;
      const std::int64_t tile = std::int64_t{threads} * vec_width;
      if (threads > 64 && tile / 2 >= block_len)
        continue;  // Half of the threads would have nothing.
      for (const int unroll : unrolls) {
        if (vec_width == 1 ? unroll != scalar_unroll
                           : unroll > 1 && tile * (unroll / 2) >= block_len) {
          continue;
        }
        RowConfig config;
        config.threads = threads;
        config.vec_width = vec_width;
        config.unroll = unroll;
        add(config);
        if (!exceeds_l2(problem, device)) continue;
        for (const WalkOrder order : {WalkOrder::forward, WalkOrder::backward}) {
          config.second_read = order;
          for (const Priorities priorities : all_priorities) {
            const bool listed = order == WalkOrder::forward && is_plain(priorities);
            if (!listed) add(with_priorities(config, priorities));
          }
        }
      }
    }
  }
  return configs;
}

int input_tensors(const Problem& problem) noexcept {
  return problem.desc().residual == Residual::none ? 1 : 2;
}

RowForm form_of_call(const Problem& problem) noexcept {
  const NormDesc& desc = problem.desc();
  // fp64's arithmetic bounds it, not decisions: it has the one form.
  const bool plain = desc.x_type != DType::f64 && desc.residual == Residual::none &&
                     desc.y_type == desc.x_type && desc.epilogue.gamma == GammaForm::factor &&
                     desc.epilogue.normalised == NormalisedRounding::none &&
                     desc.epilogue.modulation == Modulation::none;
  return plain ? RowForm::plain : RowForm::fused;
}

RowForm row_form(const Problem& problem) noexcept {
  // Plain kernels have a fast way for gamma and beta of x's type alone. (Where a channel serves
  // many elements, its type makes no difference.)
  const bool affine_as_x =
      problem.desc().affine_type == problem.desc().x_type || problem.affine().inner > 1;
  return affine_as_x ? form_of_call(problem) : RowForm::fused;
}

CallParams call_params(const Problem& problem, const CacheUse& cache) {
  const NormDesc& desc = problem.desc();
  CallParams params;
  params.statistics = problem.statistics();
  params.eps = problem.eps();
  params.residual = desc.residual;
  params.y_type = desc.y_type;
  params.affine_type = desc.affine_type;
  params.epilogue = desc.epilogue;
  params.cache = cache;
  return params;
}

RowParams row_params(const Problem& problem, const CacheUse& cache) {
  RowParams params;
  static_cast<CallParams&>(params) = call_params(problem, cache);
  RowGeometry& geometry = params.geometry;
  geometry.rows = problem.rows();
  geometry.row_len = problem.row_len();
  const RowMemory& memory = problem.memory();
  const auto steps = [&memory](const RowStrides& strides) {
    if (memory.outers == 1) return RowSteps{strides.row, 0};
    return RowSteps{strides.row, strides.outer - memory.rows_per_outer * strides.row};
  };
  geometry.x = steps(memory.x);
  geometry.y = steps(memory.y);
  geometry.same_steps = geometry.x.row == geometry.y.row && geometry.x.outer == geometry.y.outer;
  geometry.row_period = problem.affine().row_period;
  geometry.channels_per_row = problem.affine().channels_per_row;
  geometry.inner = problem.affine().inner;
  geometry.rows_per_sample = problem.rows_per_sample();
  geometry.narrow_inner = geometry.inner < page_len;
  if (geometry.narrow_inner) {
    geometry.by_inner = FastDivide(static_cast<std::uint32_t>(geometry.inner));
  }
  if (geometry.rows <= most_narrow_rows) {
    geometry.by_rows_per_outer = FastDivide(static_cast<std::uint32_t>(memory.rows_per_outer));
  }
  geometry.narrow_rows =
      geometry.rows <= most_narrow_rows && geometry.channels_per_row <= most_narrow_rows;
  if (geometry.narrow_rows) {
    // Neither divisor exceeds the rows, of which there are some.
    geometry.by_row_period = FastDivide(static_cast<std::uint32_t>(geometry.row_period));
    geometry.by_rows_per_sample = FastDivide(static_cast<std::uint32_t>(geometry.rows_per_sample));
  }
  return params;
}

bool same_vector_phase(const Problem& problem, const NormArgs& args, int vec_width) noexcept {
  const NormDesc& desc = problem.desc();
  const std::uintptr_t wanted = phase(args.x, desc.x_type, vec_width);
  for (const void* like_x : {args.residual, static_cast<const void*>(args.sum)}) {
    if (like_x != nullptr && phase(like_x, desc.x_type, vec_width) != wanted) return false;
  }
  const int y_width = y_vec_width(problem, vec_width);
  return phase(args.y, desc.y_type, y_width) == phase(args.x, desc.x_type, y_width);
}

bool starts_at_vector(const Problem& problem, const NormArgs& args, int vec_width) noexcept {
  return phase(args.x, problem.desc().x_type, vec_width) == 0;
}

bool all_start_at_vectors(const Problem& problem, const NormArgs& args, int vec_width) noexcept {
  return same_vector_phase(problem, args, vec_width) && starts_at_vector(problem, args, vec_width);
}

}  // namespace fastnorm::cuda
