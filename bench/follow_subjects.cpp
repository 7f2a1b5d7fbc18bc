// SPDX-License-Identifier: Apache-2.0
#include "follow_subjects.hpp"

#include "backends/cuda/row_config.hpp"
#include "core/config.hpp"

#include <string_view>

namespace fastnorm::bench {
namespace {

PlanOptions options_of(const FollowedNorm& norm) {
  PlanOptions options;
  options.memory = MemorySpace::device;
  options.backend = "cuda";
  options.strategy = norm.strategy;
  return options;
}

}  // namespace

std::vector<FollowedNorm> followed_norms() {
  NormDesc rms;
  rms.op = Op::rms_norm;
  rms.extents = {8192, 4096};
  rms.x_type = rms.y_type = rms.affine_type = DType::bf16;
  NormDesc group;
  group.op = Op::group_norm;
  group.extents = {16, 64, 256, 256};
  group.groups = 8;
  return {{"resident_row", rms}, {"stream_row", group}, {"block_row", group}};
}

std::vector<Priorities> all_priorities() {
  std::vector<Priorities> all;
  for (const std::string_view load : cuda::enum_names(cuda::LoadPriority{})) {
    for (const std::string_view store : cuda::enum_names(cuda::StorePriority{})) {
      all.push_back({std::string(load), std::string(store)});
    }
  }
  return all;
}

Result<Plan> default_plan(const FollowedNorm& norm) {
  return Plan::create(norm.desc, options_of(norm));
}

Result<Plan> with_priorities(const FollowedNorm& norm, const Plan& plan,
                             const Priorities& priorities) {
  Result<ConfigFields> fields = parse_config_text(plan.config());
  if (!fields.ok()) return fields.status();
  for (ConfigField& field : fields.value()) {
    if (field.name == "load") field.value = priorities.load;
    if (field.name == "store") field.value = priorities.store;
  }
  PlanOptions options = options_of(norm);
  options.config = to_string(fields.value());
  return Plan::create(norm.desc, options);
}

}  // namespace fastnorm::bench
