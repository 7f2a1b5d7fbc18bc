#include "measure/cases.hpp"

#include "core/enum_values.hpp"
#include "core/file_io.hpp"
#include "core/problem.hpp"
#include "measure/shipped_cases.hpp"

#include <cstddef>
#include <optional>

namespace fastnorm::measure {

Result<std::vector<Case>> load_cases(const std::filesystem::path& path) {
  constexpr std::size_t most = std::size_t{4} << 20;
  const Result<std::optional<std::string>> text = read_file(path, most);
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
  desc.eps = workload.eps;
  desc.x_type = workload.dtype;
  desc.y_type = workload.y_dtype.value_or(workload.dtype);
  desc.affine_type = workload.affine_dtype.value_or(workload.dtype);
  desc.layout = workload.layout;
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
