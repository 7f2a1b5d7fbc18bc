// SPDX-License-Identifier: Apache-2.0
/// What a Plan holds.
#pragma once

#include "core/backend.hpp"
#include "core/dispatcher.hpp"
#include "core/problem.hpp"

#include <fastnorm/plan.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace fastnorm {

struct Plan::Impl {
  Problem problem;
  Selection selection;
  std::string backend_name;
  std::string strategy_name;
  std::string config_text;
  std::unique_ptr<const Executable> primary;  ///< Null for an empty problem.
  std::unique_ptr<const Executable>
      fallback;  ///< For pointers that primary does not accept, and where the device has no room
                 ///< for primary any more; may be null.
  std::size_t workspace_bytes = 0;

  /// Plan::execute for arguments that have passed check_arguments(), with a workspace that is large
  /// enough, aligned and apart from them.
  Status launch(const NormArgs& args, void* workspace, Stream stream) const;
};

/// Chooses among the candidates and prepares. A choice that turns out to be unsupported only then
/// is passed over for the next one, unless the caller forced it. Errors: those of choose() and of
/// the last strategy that was prepared.
Result<Plan> create_plan(const Problem& problem, const std::vector<Candidate>& candidates,
                         const TuningDb& db, const PlanOptions& options);

/// What Plan::create is asked for, in the library's own terms.
struct PlanRequest {
  Problem problem;
  std::vector<Candidate> candidates;
  std::shared_ptr<const TuningDb> db;
  PlanOptions options;  ///< With what the environment forces.
};

/// Errors: those of Plan::create that concern the arguments alone, and unavailable.
Result<PlanRequest> plan_request(const NormDesc& desc, const PlanOptions& options);

Result<Plan> create_plan(const PlanRequest& request);

/// All back ends of this memory space whose device can be had; the preferred one first.
/// Errors: unavailable, with the reason of each back end that refused.
Result<std::vector<Candidate>> candidates_for(MemorySpace memory, int device);

}  // namespace fastnorm
