// SPDX-License-Identifier: Apache-2.0
#include "core/selection_digest.hpp"

#include "core/plan_impl.hpp"
#include "core/sha256.hpp"
#include "core/tuning_db.hpp"

#include <fastnorm/version.hpp>

#include <algorithm>
#include <utility>

namespace fastnorm {

Result<std::string> selection_line(const NormDesc& desc, const PlanOptions& options) {
  const Result<PlanRequest> request = plan_request(desc, options);
  if (!request.ok()) return request.status();
  const Result<Plan> plan = create_plan(request.value());
  if (plan.ok()) return selection_line(request.value().problem, plan.value().impl().selection);
  if (plan.status().code() == StatusCode::unsupported) return refusal_line(request.value().problem);
  return plan.status();
}

std::string selection_line(const Problem& problem, const Selection& selection) {
  return problem.to_string() + ": " + std::string(selection.candidate.backend->name()) + " " +
         std::string(selection.variant->name()) + " " + selection.config.text();
}

std::string refusal_line(const Problem& problem) { return problem.to_string() + ": none"; }

std::vector<std::string> in_order(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

std::string digest_text(const std::vector<std::string>& lines) {
  std::string text =
      std::string("fastnorm ") + version() + ", kernels " + std::to_string(kernel_version) + "\n";
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Result<std::string> selection_digest(const std::vector<NormDesc>& shapes,
                                     const PlanOptions& options) {
  std::vector<std::string> lines;
  lines.reserve(shapes.size());
  for (const NormDesc& desc : shapes) {
    Result<std::string> line = selection_line(desc, options);
    if (!line.ok()) {
      return Status(line.status().code(),
                    "shapes[" + std::to_string(lines.size()) + "]: " + line.status().message());
    }
    lines.push_back(std::move(line).value());
  }
  return sha256(digest_text(in_order(std::move(lines))));
}

}  // namespace fastnorm
