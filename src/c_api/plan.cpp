// SPDX-License-Identifier: Apache-2.0
#include "c_api/from_c.hpp"
#include "c_api/last_error.hpp"

#include <fastnorm/fastnorm.h>
#include <fastnorm/plan.hpp>

#include <string>
#include <utility>

/// The handle. The description is made once, so that its text has an owner.
struct fastnorm_plan {
  explicit fastnorm_plan(fastnorm::Plan made)
      : plan(std::move(made)), description(plan.describe()) {}

  const fastnorm::Plan plan;
  const std::string description;
};

namespace {

using fastnorm::Status;
namespace c_api = fastnorm::c_api;

Status create(const fastnorm_norm_desc* c_desc, const fastnorm_plan_options* c_options,
              fastnorm_plan*& plan) {
  fastnorm::NormDesc desc;
  if (Status status = c_api::read(c_desc, desc); !status.ok()) return status;
  fastnorm::PlanOptions options;
  if (Status status = c_api::read("options", c_options, options); !status.ok()) return status;
  fastnorm::Result<fastnorm::Plan> made = fastnorm::Plan::create(desc, options);
  if (!made.ok()) return made.status();
  plan = new fastnorm_plan(std::move(made).value());
  return {};
}

}  // namespace

fastnorm_status fastnorm_plan_create(const fastnorm_norm_desc* desc,
                                     const fastnorm_plan_options* options, fastnorm_plan** plan) {
  return c_api::guarded([&] {
    if (plan == nullptr) return c_api::missing("plan", "where the handle goes");
    *plan = nullptr;
    return create(desc, options, *plan);
  });
}

void fastnorm_plan_destroy(fastnorm_plan* plan) { delete plan; }

size_t fastnorm_plan_workspace_bytes(const fastnorm_plan* plan) {
  return plan == nullptr ? 0 : plan->plan.workspace_bytes();
}

fastnorm_status fastnorm_plan_execute(const fastnorm_plan* plan, const fastnorm_norm_args* args,
                                      void* workspace, size_t workspace_bytes,
                                      fastnorm_stream stream) {
  return c_api::guarded([&] {
    if (plan == nullptr) return c_api::missing("plan", "what fastnorm_plan_create has made");
    fastnorm::NormArgs tensors;
    if (Status status = c_api::read(args, tensors); !status.ok()) return status;
    return plan->plan.execute(tensors, workspace, workspace_bytes, {stream});
  });
}

const char* fastnorm_plan_backend(const fastnorm_plan* plan) {
  return plan == nullptr ? nullptr : plan->plan.backend().c_str();
}

const char* fastnorm_plan_strategy(const fastnorm_plan* plan) {
  return plan == nullptr ? nullptr : plan->plan.strategy().c_str();
}

const char* fastnorm_plan_config(const fastnorm_plan* plan) {
  return plan == nullptr ? nullptr : plan->plan.config().c_str();
}

const char* fastnorm_plan_describe(const fastnorm_plan* plan) {
  return plan == nullptr ? nullptr : plan->description.c_str();
}

fastnorm_memory fastnorm_plan_memory(const fastnorm_plan* plan) {
  return plan == nullptr ? FASTNORM_MEMORY_AUTOMATIC
                         : static_cast<fastnorm_memory>(plan->plan.memory());
}

int32_t fastnorm_plan_device(const fastnorm_plan* plan) {
  return plan == nullptr ? -1 : plan->plan.device();
}
