// SPDX-License-Identifier: Apache-2.0
#include "core/log.hpp"
#include "core/measured_otherwise.hpp"
#include "core/plan_impl.hpp"
#include "core/pointer_checks.hpp"
#include "core/tuning_store.hpp"
#include "core/untuned_shapes.hpp"

#include <fastnorm/plan.hpp>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace fastnorm {
namespace {

/// FASTNORM_FORCE=backend[:strategy[:config]], for calls that force nothing themselves. A name that
/// cannot serve this memory space is left out: a process may work on both.
PlanOptions with_environment(PlanOptions options, const std::vector<Candidate>& candidates) {
  const char* text = std::getenv("FASTNORM_FORCE");
  if (text == nullptr || !options.backend.empty() || !options.strategy.empty() ||
      !options.config.empty()) {
    return options;
  }
  std::string_view rest = text;
  const auto next = [&rest] {
    const std::size_t colon = rest.find(':');
    std::string piece(rest.substr(0, colon));
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
    return piece;
  };
  const std::string backend = next();
  const bool known = std::any_of(backends().begin(), backends().end(),
                                 [&](const Backend* b) { return names_backend(backend, *b); });
  const bool serves = std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& c) {
    return names_backend(backend, *c.backend);
  });
  if (known && !serves) return options;
  options.backend = backend;
  options.strategy = next();
  options.config = std::string(rest);
  return options;
}

/// The candidates of the first memory space that has any, of those that the forced back end works
/// on.
Result<std::vector<Candidate>> candidates_anywhere(const PlanOptions& options) {
  Status refusal;
  for (const MemorySpace memory : {MemorySpace::device, MemorySpace::host}) {
    const bool serves =
        options.backend.empty() ||
        std::any_of(backends().begin(), backends().end(), [&](const Backend* backend) {
          return backend->memory() == memory && names_backend(options.backend, *backend);
        });
    if (!serves) continue;
    const int device = memory == MemorySpace::host ? -1 : options.device;
    Result<std::vector<Candidate>> candidates = candidates_for(memory, device);
    if (candidates.ok()) return candidates;
    refusal = refusal.ok() ? candidates.status()
                           : Status(refusal.code(),
                                    refusal.message() + "; " + candidates.status().message());
    if (options.device >= 0) break;  // A device was meant.
  }
  return refusal;
}

Result<std::vector<Candidate>> candidates_of(const PlanOptions& options) {
  if (Status status = check_backend_name(options.backend); !status.ok()) return status;
  switch (options.memory) {
    case MemorySpace::automatic:
      return candidates_anywhere(options);
    case MemorySpace::host:
    case MemorySpace::device:
      return candidates_for(options.memory, options.device);
  }
  return Status(StatusCode::invalid_argument,
                "memory=" + std::to_string(static_cast<int>(options.memory)) +
                    " is none of automatic, host, device");
}

Status check_tuning(Tuning tuning) {
  switch (tuning) {
    case Tuning::database:
    case Tuning::heuristic:
      return {};
  }
  return Status(StatusCode::invalid_argument, "tuning=" + std::to_string(static_cast<int>(tuning)) +
                                                  " is none of database, heuristic");
}

Status check_launches(Launches launches) {
  switch (launches) {
    case Launches::all:
    case Launches::independent_blocks:
      return {};
  }
  return Status(StatusCode::invalid_argument,
                "launches=" + std::to_string(static_cast<int>(launches)) +
                    " is none of all, independent_blocks");
}

/// Has the chosen strategy prepare what the plan launches; nothing where there are no elements.
Status prepare(Plan::Impl& plan) {
  if (plan.problem.empty()) return {};
  const Selection& selection = plan.selection;
  const DeviceInfo& device = *selection.candidate.device;
  auto primary = selection.variant->prepare(plan.problem, device, selection.config);
  if (!primary.ok()) return primary.status();
  auto fallback = selection.variant->prepare_fallback(plan.problem, device, selection.config);
  if (!fallback.ok()) return fallback.status();
  plan.primary = std::move(primary).value();
  plan.fallback = std::move(fallback).value();
  plan.workspace_bytes =
      std::max(plan.primary->workspace_bytes(),
               plan.fallback ? plan.fallback->workspace_bytes() : std::size_t{0});
  return {};
}

/// A choice that no database was asked about needs no word about databases.
void report_entries_used(const Selection& selection, const TuningDb& db) {
  if (selection.origin == Origin::forced || selection.origin == Origin::heuristic) return;
  report_measured_otherwise(db, selection.candidate);
}

}  // namespace

Result<std::vector<Candidate>> candidates_for(MemorySpace memory, int device) {
  std::vector<Candidate> candidates;
  Status refusal;
  for (const Backend* backend : backends()) {
    if (backend->memory() != memory) continue;
    Result<const DeviceInfo*> info = backend->device(device);
    if (info.ok()) {
      candidates.push_back({backend, info.value()});
      continue;
    }
    const std::string reason = std::string(backend->name()) + ": " + info.status().message();
    refusal = refusal.ok() ? Status(info.status().code(), reason)
                           : Status(refusal.code(), refusal.message() + "; " + reason);
  }
  if (!candidates.empty()) return candidates;
  if (!refusal.ok()) return refusal;
  const std::string asked = device == -1 ? "" : "device=" + std::to_string(device) + ": ";
  return Status(StatusCode::unavailable,
                asked + "this build has no back end for " + to_string(memory) + " memory");
}

Plan::Plan(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}

Result<PlanRequest> plan_request(const NormDesc& desc, const PlanOptions& options) {
  if (Status status = check_tuning(options.tuning); !status.ok()) return status;
  if (Status status = check_launches(options.launches); !status.ok()) return status;
  Result<Problem> problem = Problem::create(desc);
  if (!problem.ok()) return problem.status();
  Result<std::vector<Candidate>> candidates = candidates_of(options);
  if (!candidates.ok()) return candidates.status();
  PlanOptions used = with_environment(options, candidates.value());
  return PlanRequest{std::move(problem).value(), std::move(candidates).value(), current_tuning_db(),
                     std::move(used)};
}

Result<Plan> create_plan(const PlanRequest& request) {
  return create_plan(request.problem, request.candidates, *request.db, request.options);
}

Result<Plan> Plan::create(const NormDesc& desc, const PlanOptions& options) {
  const Result<PlanRequest> request = plan_request(desc, options);
  if (!request.ok()) return request.status();
  Result<Plan> plan = create_plan(request.value());
  if (plan.ok()) {
    process_untuned_shapes().note(plan.value().impl(), request.value().options,
                                  *request.value().db);
    report_entries_used(plan.value().impl().selection, *request.value().db);
  }
  return plan;
}

Result<Plan> create_plan(const Problem& problem, const std::vector<Candidate>& candidates,
                         const TuningDb& db, const PlanOptions& options) {
  std::vector<Unprepared> unprepared;
  // Ends: each turn leaves one strategy less to choose from.
  for (;;) {
    Result<Selection> chosen = choose(problem, candidates, db, options, unprepared);
    if (!chosen.ok()) return chosen.status();
    auto impl = std::make_shared<Plan::Impl>(
        Plan::Impl{problem, std::move(chosen).value(), {}, {}, {}, nullptr, nullptr, 0});
    const Selection& selection = impl->selection;
    impl->backend_name = selection.candidate.backend->name();
    impl->strategy_name = selection.variant->name();
    impl->config_text = selection.config.text();
    if (Status status = prepare(*impl); !status.ok()) {
      if (status.code() != StatusCode::unsupported || selection.origin == Origin::forced) {
        return status;
      }
      log(LogLevel::info, "strategy passed over: " + impl->strategy_name + " " + impl->config_text +
                              ": " + status.message());
      unprepared.push_back({selection.variant, status.message()});
      continue;
    }
    Plan plan(std::move(impl));
    if (log_enabled(LogLevel::debug)) log(LogLevel::debug, plan.describe());
    return plan;
  }
}

std::size_t Plan::workspace_bytes() const noexcept { return impl_->workspace_bytes; }

Status Plan::execute(const NormArgs& args, void* workspace, std::size_t workspace_bytes,
                     Stream stream) const {
  if (impl_->primary == nullptr) return {};  // No elements, nothing to do.
  const WorkspaceArgument given{workspace, workspace_bytes, impl_->workspace_bytes};
  if (Status status = check_arguments(impl_->problem, args, given); !status.ok()) return status;
  return impl_->launch(args, workspace, stream);
}

Status Plan::Impl::launch(const NormArgs& args, void* workspace, Stream stream) const {
  if (fallback == nullptr) return primary->launch(args, workspace, stream);
  if (primary->accepts(args)) {
    Status status = primary->launch(args, workspace, stream);
    if (status.code() != StatusCode::unsupported) return status;
    if (log_enabled(LogLevel::info)) {
      log(LogLevel::info, strategy_name + " runs for any pointers: " + status.message());
    }
  }
  return fallback->launch(args, workspace, stream);
}

const std::string& Plan::backend() const noexcept { return impl_->backend_name; }
const std::string& Plan::strategy() const noexcept { return impl_->strategy_name; }
const std::string& Plan::config() const noexcept { return impl_->config_text; }
MemorySpace Plan::memory() const noexcept { return impl_->selection.candidate.device->memory; }
int Plan::device() const noexcept { return impl_->selection.candidate.device->ordinal; }

std::string Plan::describe() const {
  const Selection& selection = impl_->selection;
  std::string text = impl_->problem.to_string() + " on " + selection.candidate.device->name + ": ";
  if (impl_->problem.empty()) return text + "nothing to do (no elements)";
  return text + impl_->backend_name + " " + impl_->strategy_name + " " + impl_->config_text + " [" +
         to_string(selection.origin) + ": " + selection.reason + "]";
}

}  // namespace fastnorm
