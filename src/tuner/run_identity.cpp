// SPDX-License-Identifier: Apache-2.0
#include "tuner/run_identity.hpp"

#include "core/number_text.hpp"
#include "core/tuning_db.hpp"

#include <fastnorm/version.hpp>

namespace fastnorm::tuner {
namespace {

/// Exact: to_string() rounds for the reader, and budgets that read alike may differ.
std::string budget_text(const Budget& budget) {
  switch (budget.unit) {
    case Budget::Unit::seconds:
      return number_text(budget.amount) + "s";
    case Budget::Unit::evaluations:
      return number_text(budget.amount) + " evaluations";
    case Budget::Unit::unlimited:
      break;
  }
  return "unlimited";
}

std::string target_text(const IdentifiedTarget& target) {
  const DeviceInfo& device = *target.candidate.device;
  const DeviceKey key = DeviceKey::of(device);
  return std::string(target.candidate.backend->name()) + " on " + device.name + ", " +
         std::to_string(key.compute_capability_major) + "." +
         std::to_string(key.compute_capability_minor) + ", processors " +
         std::to_string(key.processors) + ", L2 MiB " + std::to_string(key.l2_mib) + ", GB/s " +
         std::to_string(key.memory_gb_s) + ", space " + key.host_space + ", CUDA " +
         target.software.cuda + ", driver " + target.software.driver +
         (target.gpu ? ", GPU " + std::to_string(*target.gpu) : "");
}

}  // namespace

std::string run_identity(const Budget& budget, const TuningSettings& settings,
                         const std::vector<IdentifiedTarget>& targets,
                         const std::vector<Job>& jobs) {
  std::string text = std::string("fastnorm ") + version() + "\nkernels " +
                     std::to_string(kernel_version) + "\nbudget " + budget_text(budget) +
                     "\nsearch " + to_string(settings.search.method) + "\nproposals " +
                     to_string(settings.proposals) + "\nseed " +
                     std::to_string(settings.search.seed);
  for (const IdentifiedTarget& target : targets) text += "\ntarget " + target_text(target);
  for (const Job& job : jobs) {
    text += "\ncase " + job.workload.name + ": " + job.problem.to_string();
    if (job.workload.affine == measure::Affine::present) text += " with gamma and beta";
  }
  return text;
}

}  // namespace fastnorm::tuner
