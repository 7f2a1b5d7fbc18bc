// SPDX-License-Identifier: Apache-2.0
#include "measure/cases.hpp"

#include "core/case_file.hpp"
#include "core/enum_values.hpp"
#include "core/file_io.hpp"
#include "core/op_kind.hpp"
#include "core/problem.hpp"
#include "measure/shipped_cases.hpp"

#include <cstddef>
#include <optional>

namespace fastnorm::measure {
namespace {

/// A norm over c at each position: rows that are contiguous in a channels-last tensor, and in a
/// channels-first one columns of an image's matrix of c by positions.
Result<NormDesc> over_channels(Op op, const Case& workload) {
  NormDesc desc;
  desc.op = op;
  desc.extents = {workload.n};
  for (const std::int64_t extent : workload.spatial) desc.extents.push_back(extent);
  desc.extents.push_back(workload.c);
  if (workload.layout == Layout::channels_last) return desc;

  // Without strides first: where that is a problem, no product of extents overflows.
  if (const Result<Problem> problem = Problem::create(desc); !problem.ok()) return problem.status();
  // Of N, spatial..., C, where memory has N, C, spatial...
  std::vector<std::int64_t> of_spatial(workload.spatial.size());
  std::int64_t positions = 1;
  for (std::size_t axis = of_spatial.size(); axis-- > 0;) {
    of_spatial[axis] = positions;
    positions *= workload.spatial[axis];
  }
  desc.x_strides.push_back(workload.c * positions);
  for (const std::int64_t stride : of_spatial) desc.x_strides.push_back(stride);
  desc.x_strides.push_back(positions);
  desc.y_strides = desc.x_strides;
  return desc;
}

/// The operation, the extents and where the elements lie.
Result<NormDesc> shape_of(const Case& workload) {
  for (const Op op : all_ops) {
    if (normalises_last_extents(op) && workload.op == to_string(op) + std::string("_channels"))
      return over_channels(op, workload);
  }
  const std::optional<Op> op = find_by_name(all_ops, workload.op);
  if (!op) {
    return Status(StatusCode::unsupported, "op " + workload.op + " is not offered yet");
  }
  NormDesc desc;
  desc.op = *op;
  desc.extents = {workload.n, workload.c};
  for (const std::int64_t extent : workload.spatial) desc.extents.push_back(extent);
  desc.groups = workload.groups;
  desc.normalized_rank = desc.extents.rank() - 1;
  desc.layout = workload.layout;
  return desc;
}

}  // namespace

Result<std::vector<Case>> load_cases(const std::filesystem::path& path) {
  const Result<std::optional<std::string>> text = read_file(path, max_case_file_bytes);
  if (!text.ok()) return text.status();
  if (!text.value()) {
    return Status(StatusCode::invalid_argument, path.string() + ": there is no such file of cases");
  }
  return parse_cases(*text.value(), path.string());
}

Result<std::vector<Case>> shipped_cases() {
  return parse_cases(shipped_cases_text(), "workloads.yaml (shipped)");
}

Result<NormDesc> to_desc(const Case& workload) {
  Result<NormDesc> shape = shape_of(workload);
  if (!shape.ok()) return shape;
  NormDesc& desc = shape.value();
  desc.eps = workload.eps;
  desc.x_type = workload.dtype;
  desc.y_type = workload.y_dtype.value_or(workload.dtype);
  desc.affine_type = workload.affine_dtype.value_or(workload.dtype);
  desc.residual = workload.fused.residual;
  desc.epilogue.activation = workload.activation;
  desc.epilogue.gamma = workload.fused.gamma;
  desc.epilogue.normalised = workload.fused.normalised;
  desc.epilogue.modulation = workload.fused.modulation;
  const Result<Problem> problem = Problem::create(desc);
  if (!problem.ok()) return problem.status();
  return desc;
}

}  // namespace fastnorm::measure
