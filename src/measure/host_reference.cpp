// SPDX-License-Identifier: Apache-2.0
#include "measure/host_reference.hpp"

#include <algorithm>
#include <cmath>

namespace fastnorm::measure {
namespace {

/// Elements are handled in blocks, as double: loops over one operation each, which the compiler can
/// turn into vector code whatever the types.
constexpr std::int64_t block_len = 512;
using Block = double[block_len];

/// Elements [begin, begin + count) of a row.
struct Part {
  std::int64_t row;
  std::int64_t begin;
  std::int64_t count;
};

/// work(part) for each block of the row.
template <class Work>
void for_each_part(const ReferenceCall& call, std::int64_t row, const Work& work) {
  for (std::int64_t begin = 0; begin < call.row_len; begin += block_len) {
    work(Part{row, begin, std::min(block_len, call.row_len - begin)});
  }
}

/// Those of a tensor with these strides, run by run.
void load_part(const RowMemory& memory, const RowStrides& strides, DType type, const void* tensor,
               const Part& part, Block& values) {
  with_elements(type, tensor, [&](const auto* elements) {
    const auto* of_row = elements + place_of_row(memory, strides, part.row);
    std::int64_t run = part.begin / memory.run_len;
    std::int64_t into_run = part.begin - run * memory.run_len;
    for (std::int64_t i = 0; i < part.count; ++run, into_run = 0) {
      const auto* of_run = of_row + run * strides.run + into_run;
      const std::int64_t end = std::min(i + memory.run_len - into_run, part.count);
      for (; i < end; ++i) values[i] = widen(*of_run++);
    }
  });
}

/// What the call normalises.
void load_summed_part(const ReferenceCall& call, const Part& part, Block& h) {
  const RowMemory& memory = call.memory;
  load_part(memory, memory.x, call.x_type, call.tensors.x, part, h);
  if (call.residual == Residual::none) return;
  Block residual;
  load_part(memory, memory.x, call.x_type, call.tensors.residual, part, residual);
  for (std::int64_t i = 0; i < part.count; ++i) h[i] = summed(call, h[i], residual[i]);
}

/// The affine map of each element.
void load_affine_part(const ReferenceCall& call, const Part& part, Block& gamma, Block& beta) {
  for (std::int64_t i = 0; i < part.count;) {
    const std::int64_t in_row = part.begin + i;
    const ChannelAffine affine =
        load_affine(call, part.row, channel_of(call.affine, part.row, in_row));
    const std::int64_t left = call.affine.inner - in_row % call.affine.inner;
    for (const std::int64_t end = std::min(i + left, part.count); i < end; ++i) {
      gamma[i] = affine.gamma;
      beta[i] = affine.beta;
    }
  }
}

/// A first look tells the few blocks that change the tally from the rest.
void compare_part(Comparison& tally, const ReferenceCall& call, const Part& part) {
  Block h, y, gamma, beta;
  load_summed_part(call, part, h);
  load_part(call.memory, call.memory.y, call.y_type, call.tensors.y, part, y);
  load_affine_part(call, part, gamma, beta);
  const RowStatistics statistics = call.statistics[part.row];
  const double ratio = std::min(tally.worst_ratio, 1.0);
  std::int64_t notable = 0;
  for (std::int64_t i = 0; i < part.count; ++i) {
    const Expected reference = expected(call, h[i], statistics, {gamma[i], beta[i]});
    notable += beyond(ratio, y[i], reference) ? 1 : 0;
  }
  if (notable == 0) return;
  for (std::int64_t i = 0; i < part.count; ++i) {
    const Expected reference = expected(call, h[i], statistics, {gamma[i], beta[i]});
    count_element(tally, {part.row, part.begin + i}, y[i], reference);
  }
}

}  // namespace

RowStatistics statistics_of(const ReferenceCall& call, std::int64_t row) {
  const auto length = static_cast<double>(call.row_len);
  Block h;
  double mean = 0;
  if (call.kind == Statistics::mean_variance) {
    double sum = 0;
    for_each_part(call, row, [&](const Part& part) {
      load_summed_part(call, part, h);
      double of_part = 0;
      for (std::int64_t i = 0; i < part.count; ++i) of_part += h[i];
      sum += of_part;
    });
    mean = sum / length;
  }
  double squares = 0;
  for_each_part(call, row, [&](const Part& part) {
    load_summed_part(call, part, h);
    double of_part = 0;
    for (std::int64_t i = 0; i < part.count; ++i) of_part += (h[i] - mean) * (h[i] - mean);
    squares += of_part;
  });
  return {mean, 1 / std::sqrt(squares / length + call.eps)};
}

void compare_row(Comparison& tally, const ReferenceCall& call, std::int64_t row) {
  for_each_part(call, row, [&](const Part& part) { compare_part(tally, call, part); });
}

}  // namespace fastnorm::measure
