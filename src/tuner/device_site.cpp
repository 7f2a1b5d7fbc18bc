#include "tuner/device_site.hpp"

#include "core/tuning_store.hpp"
#include "tuner/record.hpp"

namespace fastnorm::tuner {

Result<CaseStart> DeviceSite::begin(const Job& job) {
  Status loaded = workbench_.load(job.problem.desc(), job.workload.affine, seed_);
  if (!loaded.ok()) return loaded;
  const Result<double> copy_us = workbench_.copy_us(job.problem.moved_bytes());
  if (!copy_us.ok()) return copy_us.status();
  Result<std::vector<Contender>> known = known_choices(job.problem, target_, *current_tuning_db());
  if (!known.ok()) return known.status();
  evaluator_.emplace(job.problem, *target_.device, workbench_);
  return CaseStart{copy_us.value(), std::move(known).value()};
}

Status DeviceSite::store(const std::vector<TuningEntry>& winners) {
  Status status = merge_into_file(file_, make_file(target_, workbench_.software(), utc_, winners));
  // The next cases may be similar to this one.
  forget_tuning_db();
  return status;
}

}  // namespace fastnorm::tuner
