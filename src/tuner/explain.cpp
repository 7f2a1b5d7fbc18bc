/// autotune explain CASE
#include "core/plan_impl.hpp"
#include "core/tuning_store.hpp"
#include "tuner/case_selection.hpp"
#include "tuner/commands.hpp"
#include "tuner/complain.hpp"
#include "tuner/exit_status.hpp"
#include "tuner/targets.hpp"
#include "tuner/use_database.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::tuner {
namespace {

const char* meaning(Origin origin) {
  switch (origin) {
    case Origin::forced:
      return "the environment (FASTNORM_FORCE) names it";
    case Origin::exact:
      return "this very shape was tuned on this device";
    case Origin::bucket:
      return "this shape was tuned on this device with another batch size or epilogue";
    case Origin::nearest:
      return "a similar shape was tuned on this device";
    case Origin::same_arch:
      return "it was tuned on another device of this architecture";
    case Origin::heuristic:
      return "no entry of a database applies, so that the built-in heuristic chose";
  }
  return "";
}

/// The database entry that the selection comes from.
std::optional<TuningMatch> source_of(const Selection& selection, const Problem& problem,
                                     const TuningDb& db) {
  if (selection.origin == Origin::forced || selection.origin == Origin::heuristic) return {};
  const TuningQuery query =
      TuningQuery::of(problem, selection.candidate.backend->name(), *selection.candidate.device);
  for (const TuningMatch& match : db.lookup(query)) {
    if (match.entry->strategy == selection.variant->name() &&
        match.entry->config == selection.config.fields()) {
      return match;
    }
  }
  return {};
}

void print_entry(const TuningMatch& match) {
  const TuningEntry& entry = *match.entry;
  std::printf("  entry: %s: %s N=%lld C=%lld groups=%lld inner=%lld on %s\n",
              match.file->source.c_str(), to_string(entry.key.op),
              static_cast<long long>(entry.shape.n), static_cast<long long>(entry.shape.c),
              static_cast<long long>(entry.shape.groups), static_cast<long long>(entry.shape.inner),
              match.file->device_name.c_str());
  std::printf("  then:  %.1f us, %.2f times the default's speed, %.2f of copy speed (%s)\n",
              entry.stats.median_us, entry.stats.default_us / entry.stats.median_us,
              entry.stats.copy_us / entry.stats.median_us, match.file->provenance.utc.c_str());
}

Status explain_in(MemorySpace memory, const std::string& backend, const measure::Case& workload,
                  const NormDesc& desc) {
  PlanOptions options;
  options.memory = memory;
  options.backend = backend == "all" ? "" : backend;
  const Result<Plan> plan = Plan::create(desc, options);
  if (!plan.ok()) return plan.status();
  const Plan::Impl& impl = plan.value().impl();
  const Selection& selection = impl.selection;
  std::printf("%s: %s\n", workload.name.c_str(), impl.problem.to_string().c_str());
  std::printf("  on:    %s\n", selection.candidate.device->name.c_str());
  std::printf("  runs:  %s, %s %s\n", impl.backend_name.c_str(), impl.strategy_name.c_str(),
              impl.config_text.c_str());
  std::printf("  why:   %s: %s (%s)\n", to_string(selection.origin), meaning(selection.origin),
              selection.reason.c_str());
  const auto db = current_tuning_db();
  if (const auto match = source_of(selection, impl.problem, *db)) print_entry(*match);
  if (selection.origin != Origin::exact && selection.origin != Origin::forced) {
    std::printf("  next:  \"autotune --case %s\" tunes it here\n", workload.name.c_str());
  }
  return {};
}

}  // namespace

int explain(const Options& options) {
  use_database(options.db);
  const Result<std::vector<measure::Case>> cases = load_case_file(options);
  if (!cases.ok()) return complain(cases.status(), exit_failed);
  const Result<measure::Case> workload = find_case(cases.value(), options.explained_case);
  if (!workload.ok()) return complain(workload.status(), exit_usage);
  const Result<NormDesc> desc = to_desc(workload.value());
  if (!desc.ok()) {
    return complain(workload.value().name + ": " + desc.status().message(), exit_failed);
  }
  const Result<std::vector<Candidate>> targets = select_targets(options);
  if (!targets.ok()) return complain(targets.status(), exit_failed);
  std::vector<MemorySpace> explained;
  for (const Candidate& target : targets.value()) {
    const MemorySpace memory = target.device->memory;
    if (std::find(explained.begin(), explained.end(), memory) != explained.end()) continue;
    explained.push_back(memory);
    Status status = explain_in(memory, options.backend, workload.value(), desc.value());
    if (!status.ok()) return complain(status, exit_failed);
  }
  return exit_done;
}

}  // namespace fastnorm::tuner
