// SPDX-License-Identifier: Apache-2.0
#include "subjects.hpp"

#include "core/backend.hpp"
#include "core/problem.hpp"

#include <algorithm>
#include <regex>
#include <utility>

namespace fastnorm::bench {
namespace {

std::vector<Candidate> in_memory(const std::vector<Candidate>& all, MemorySpace memory) {
  std::vector<Candidate> result;
  std::copy_if(all.begin(), all.end(), std::back_inserter(result),
               [&](const Candidate& target) { return target.backend->memory() == memory; });
  return result;
}

std::string backend_names() {
  std::string names;
  for (const Backend* backend : backends()) names += std::string(backend->name()) + ", ";
  return names + "all";
}

/// At most `count` of them, evenly spaced in their list.
std::vector<Config> spread_over(const std::vector<Config>& all, std::size_t count) {
  std::vector<Config> chosen;
  const std::size_t wanted = std::min(count, all.size());
  for (std::size_t i = 0; i < wanted; ++i) chosen.push_back(all[i * all.size() / wanted]);
  return chosen;
}

void add_subjects(const measure::Case& workload, const Problem& problem, const Candidate& target,
                  std::size_t configs, SubjectList& list) {
  const std::string name = "forward/" + workload.name + "/" + std::string(target.backend->name());
  const NormDesc& desc = problem.desc();

  PlanOptions tuned;
  tuned.memory = target.backend->memory();
  tuned.device = target.device->ordinal;
  tuned.backend = target.backend->name();
  list.subjects.push_back({name, workload, desc, target, tuned});

  PlanOptions untuned = tuned;
  untuned.tuning = Tuning::heuristic;
  list.subjects.push_back({name + "/default", workload, desc, target, untuned});

  for (const KernelVariant* variant : target.backend->variants()) {
    PlanOptions forced = tuned;
    forced.strategy = variant->name();
    const std::string forced_name = name + "/forced:" + forced.strategy;
    const Support support = variant->supports(problem, *target.device);
    if (support.ok) {
      list.subjects.push_back({forced_name, workload, desc, target, forced});
      for (const Config& config : spread_over(variant->configs(problem, *target.device), configs)) {
        forced.config = config.text();
        list.subjects.push_back({name + "/config:" + forced.strategy + ":" + forced.config,
                                 workload, desc, target, forced});
      }
    } else {
      list.skipped.push_back({forced_name, support.reason});
    }
  }
}

}  // namespace

Result<std::vector<Candidate>> find_targets(const std::string& wanted) {
  const bool by_name = !wanted.empty() && wanted != "all";
  std::vector<Candidate> found;
  Status refusal(StatusCode::invalid_argument,
                 "--backend is \"" + wanted + "\"; this build has " + backend_names());
  for (const Backend* backend : backends()) {
    if (by_name && !names_backend(wanted, *backend)) continue;
    const Result<const DeviceInfo*> device = backend->device(-1);
    if (device.ok()) {
      found.push_back({backend, device.value()});
    } else {
      refusal = device.status();
    }
  }
  if (found.empty()) return refusal;
  if (!wanted.empty()) return found;
  const std::vector<Candidate> on_device = in_memory(found, MemorySpace::device);
  return on_device.empty() ? found : on_device;
}

SubjectList list_subjects(const std::vector<measure::Case>& cases,
                          const std::vector<Candidate>& targets, std::size_t configs) {
  SubjectList list;
  for (const measure::Case& workload : cases) {
    const Result<NormDesc> desc = measure::to_desc(workload);
    const Result<Problem> problem = desc.ok() ? Problem::create(desc.value()) : desc.status();
    if (!problem.ok()) {
      list.skipped.push_back({workload.name, problem.status().message()});
      continue;
    }
    for (const Candidate& target : targets) {
      const std::string why = refusals(problem.value(), {target});
      if (why.empty()) {
        add_subjects(workload, problem.value(), target, configs, list);
      } else {
        list.skipped.push_back({workload.name, why});
      }
    }
  }
  return list;
}

Status keep_matching(std::vector<Subject>& subjects, const std::string& filter) {
  if (filter.empty() || filter == "all") return {};
  const bool negated = filter.front() == '-';
  std::regex pattern;
  try {
    pattern.assign(negated ? filter.substr(1) : filter, std::regex::extended);
  } catch (const std::regex_error& error) {
    return Status(StatusCode::invalid_argument, "--benchmark_filter is \"" + filter +
                                                    "\", no regular expression: " + error.what());
  }
  const auto dropped = [&](const Subject& subject) {
    return std::regex_search(subject.name, pattern) == negated;
  };
  subjects.erase(std::remove_if(subjects.begin(), subjects.end(), dropped), subjects.end());
  return {};
}

}  // namespace fastnorm::bench
