// SPDX-License-Identifier: Apache-2.0
#include "tuner/jobs.hpp"

#include "core/tuning_db.hpp"

#include <algorithm>

namespace fastnorm::tuner {

std::vector<Job> make_jobs(const std::vector<measure::Case>& cases, Report& report) {
  std::vector<Job> jobs;
  for (const measure::Case& workload : cases) {
    const Result<NormDesc> desc = to_desc(workload);
    if (!desc.ok()) {
      report.skipped(workload.name, desc.status().message());
      continue;
    }
    const Result<Problem> problem = Problem::create(desc.value());
    const auto same = std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) {
      return share_an_entry(job.problem, problem.value());
    });
    if (same != jobs.end()) {
      report.skipped(workload.name, "the same problem as " + same->workload.name);
      continue;
    }
    jobs.push_back({jobs.size(), workload, problem.value()});
  }
  return jobs;
}

}  // namespace fastnorm::tuner
