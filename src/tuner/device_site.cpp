// SPDX-License-Identifier: Apache-2.0
#include "tuner/device_site.hpp"

#include "core/tuning_store.hpp"
#include "tuner/record.hpp"
#include "tuner/search_space.hpp"

namespace fastnorm::tuner {

Result<CaseStart> DeviceSite::begin(const Job& job) {
  const Result<measure::Summary> copy =
      worker_.load(std::string(target_.backend->name()), job, seed_);
  if (!copy.ok()) return copy.status();
  Result<std::vector<Contender>> known = known_choices(job.problem, target_, *current_tuning_db());
  if (!known.ok()) return known.status();
  return CaseStart{copy.value().median_us, std::move(known).value(), copy.value().mad_us};
}

Status DeviceSite::store(const std::vector<TuningEntry>& winners) {
  Status status = merge_into_file(file_, make_file(target_, software_, utc_, winners));
  // The next cases may be similar to this one.
  forget_tuning_db();
  return status;
}

Status DeviceSite::restore(const std::vector<TuningEntry>& winners) {
  Status status = restore_into_file(file_, make_file(target_, software_, utc_, winners));
  forget_tuning_db();
  return status;
}

}  // namespace fastnorm::tuner
