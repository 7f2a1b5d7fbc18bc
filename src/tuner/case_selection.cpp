// SPDX-License-Identifier: Apache-2.0
#include "tuner/case_selection.hpp"

#include "core/enum_values.hpp"
#include "core/quoted.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace fastnorm::tuner {
namespace {

using measure::Case;

/// Insertions, deletions and replacements that turn one into the other (Levenshtein).
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string nearest_names(const std::vector<Case>& cases, const std::string& name) {
  constexpr std::size_t offered = 3;
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const Case& workload : cases) {
    ranked.emplace_back(edit_distance(name, workload.name), workload.name);
  }
  std::sort(ranked.begin(), ranked.end());
  std::string names;
  for (std::size_t i = 0; i < std::min(offered, ranked.size()); ++i) {
    names += (i == 0 ? "" : ", ") + shortened(ranked[i].second, longest_name);
  }
  return names;
}

/// A case made of --op, --shape, --groups and --dtype.
Result<Case> case_of_shape(const Options& options) {
  Case result;
  result.op = options.op.empty() ? to_string(Op::group_norm) : options.op;
  const bool per_channel = result.op == to_string(Op::instance_norm);
  result.n = options.shape[0];
  result.c = options.shape[1];
  result.spatial.assign(options.shape.begin() + 2, options.shape.end());
  result.groups = options.groups;
  const bool needs_groups = result.op == to_string(Op::group_norm);
  if (options.groups == 0 && !needs_groups) result.groups = per_channel ? result.c : 1;
  if (result.groups == 0) {
    return Status(
        StatusCode::invalid_argument,
        "--shape of group_norm needs --groups, a divisor of C = " + std::to_string(result.c));
  }
  result.affine = per_channel ? measure::Affine::absent : measure::Affine::present;
  if (!options.dtype.empty()) result.dtype = *find_by_name(all_dtypes, options.dtype);
  result.name = result.op;
  for (std::size_t axis = 0; axis < options.shape.size(); ++axis) {
    result.name += (axis == 0 ? "_" : "x") + std::to_string(options.shape[axis]);
  }
  if (needs_groups) result.name += "_g" + std::to_string(result.groups);
  // What can never be right is the caller's mistake, not a case to skip.
  const Result<NormDesc> desc = measure::to_desc(result);
  if (desc.status().code() == StatusCode::invalid_argument) return desc.status();
  return result;
}

}  // namespace

Result<std::vector<Case>> load_case_file(const Options& options) {
  return options.cases_file.empty() ? measure::shipped_cases()
                                    : measure::load_cases(options.cases_file);
}

Result<Case> find_case(const std::vector<Case>& cases, const std::string& name) {
  const auto found = std::find_if(cases.begin(), cases.end(),
                                  [&](const Case& workload) { return workload.name == name; });
  if (found != cases.end()) return *found;
  return Status(StatusCode::invalid_argument, "there is no case " + in_quotes(name, longest_name) +
                                                  "; the nearest names are " +
                                                  nearest_names(cases, name));
}

Result<std::vector<Case>> select_cases(std::vector<Case> cases, const Options& options) {
  if (!options.shape.empty()) {
    Result<Case> shape = case_of_shape(options);
    if (!shape.ok()) return shape.status();
    return std::vector<Case>{std::move(shape).value()};
  }
  if (!options.case_names.empty()) {
    std::vector<Case> of_these_names;
    for (const std::string& name : options.case_names) {
      Result<Case> found = find_case(cases, name);
      if (!found.ok()) return found.status();
      of_these_names.push_back(std::move(found).value());
    }
    cases = std::move(of_these_names);
  }
  const auto unwanted = [&](const Case& workload) {
    return (!options.op.empty() && workload.op != options.op) ||
           (!options.dtype.empty() && to_string(workload.dtype) != options.dtype);
  };
  cases.erase(std::remove_if(cases.begin(), cases.end(), unwanted), cases.end());
  if (!cases.empty()) return cases;
  return Status(StatusCode::invalid_argument,
                "no case is left: none has" + (options.op.empty() ? "" : " op " + options.op) +
                    (options.dtype.empty() ? "" : " dtype " + options.dtype));
}

}  // namespace fastnorm::tuner
