// SPDX-License-Identifier: Apache-2.0
/// autotune explain CASE, or --shape
#include "core/plan_impl.hpp"
#include "core/quoted.hpp"
#include "core/shell_word.hpp"
#include "core/tuning_store.hpp"
#include "tuner/case_selection.hpp"
#include "tuner/commands.hpp"
#include "tuner/complain.hpp"
#include "tuner/entry_json.hpp"
#include "tuner/exit_status.hpp"
#include "tuner/explanation.hpp"
#include "tuner/json_writer.hpp"
#include "tuner/software_here.hpp"
#include "tuner/targets.hpp"
#include "tuner/use_database.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::tuner {
namespace {

/// A case on one device.
struct Explained {
  std::string case_name;
  Plan plan;
  Explanation explanation;
};

const char* title(Origin origin) {
  return origin == Origin::same_arch ? "same architecture" : to_string(origin);
}

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
      return "no entry of a database applies, so that the library chose by itself";
  }
  return "";
}

std::string step_text(const ExplainedStep& step) {
  switch (step.outcome) {
    case Outcome::nothing:
      return "no: " + step.words;
    case Outcome::passed_over:
      return "not usable: " + step.words;
    case Outcome::taken:
      return "this one: " + step.words;
    case Outcome::not_needed:
      return step.words.empty() ? "not needed" : "not needed; " + step.words;
  }
  return "";
}

/// What makes a case of a shape, as it was typed.
std::string shape_arguments(const Options& options) {
  std::string arguments;
  if (!options.op.empty()) arguments += " --op " + shell_word(options.op);
  if (!options.dtype.empty()) arguments += " --dtype " + shell_word(options.dtype);
  arguments += " --shape ";
  for (std::size_t axis = 0; axis < options.shape.size(); ++axis) {
    arguments += (axis == 0 ? "" : "x") + std::to_string(options.shape[axis]);
  }
  if (options.groups > 0) arguments += " --groups " + std::to_string(options.groups);
  return arguments;
}

/// The case that is named, or that of the shape.
Result<measure::Case> explained_case(std::vector<measure::Case> cases, const Options& options) {
  if (options.shape.empty()) return find_case(cases, options.explained_case);
  const Result<std::vector<measure::Case>> selected = select_cases(std::move(cases), options);
  if (!selected.ok()) return selected.status();
  return selected.value().front();
}

/// The command that gives the case an entry of its own.
std::string tune_command(const Explained& explained, const Options& options) {
  std::string command = "autotune";
  if (!options.backend.empty()) command += " --backend " + shell_word(options.backend);
  if (!options.db.empty() && options.db != no_user_database) {
    command += " --db " + shell_word(options.db);
  }
  if (!options.shape.empty()) return command + shape_arguments(options);
  if (!options.cases_file.empty()) command += " --cases " + shell_word(options.cases_file);
  return command + " --case " + shell_word(explained.case_name);
}

void print_text(const Explained& explained, const Options& options) {
  const Plan::Impl& impl = explained.plan.impl();
  const Selection& selection = impl.selection;
  const Explanation& explanation = explained.explanation;
  std::printf("%s: %s\n", shortened(explained.case_name, longest_name).c_str(),
              impl.problem.to_string().c_str());
  std::printf("  on:    %s\n", selection.candidate.device->name.c_str());
  std::printf("  runs:  %s, %s %s\n", impl.backend_name.c_str(), impl.strategy_name.c_str(),
              impl.config_text.c_str());
  std::printf("  why:   %s: %s\n", title(selection.origin), meaning(selection.origin));
  if (selection.origin != Origin::forced) {
    std::printf("  looked for, in this order:\n");
    for (const ExplainedStep& step : explanation.steps) {
      std::printf("    %-18s %s\n", title(step.origin), escaped(step_text(step)).c_str());
    }
  }
  std::printf("  not tuning it costs: %s\n", explanation.cost_words.c_str());
  if (selection.origin != Origin::exact && selection.origin != Origin::forced) {
    std::printf("  next:  \"%s\" tunes it here\n",
                escaped(tune_command(explained, options)).c_str());
  }
}

void write_cost(JsonWriter& json, const Explanation& explanation) {
  json.begin_object();
  json.key("words").text(explanation.cost_words);
  if (const auto& cost = explanation.cost) {
    json.key("typical").number(cost->typical);
    json.key("worst").number(cost->worst);
    json.key("shapes").integer(static_cast<std::int64_t>(cost->shapes));
  }
  json.end();
}

void write_json(JsonWriter& json, const Explained& explained) {
  const Plan::Impl& impl = explained.plan.impl();
  const Selection& selection = impl.selection;
  const Explanation& explanation = explained.explanation;
  json.begin_object();
  json.key("case").text(explained.case_name);
  json.key("problem").text(impl.problem.to_string());
  json.key("device").text(selection.candidate.device->name);
  json.key("backend").text(impl.backend_name);
  write_config(json.key("config"), impl.strategy_name, selection.config.fields());
  json.key("origin").text(to_string(selection.origin));
  json.key("reason").text(selection.reason);
  json.key("steps").begin_array();
  for (const ExplainedStep& step : explanation.steps) {
    json.begin_object();
    json.key("origin").text(to_string(step.origin));
    json.key("outcome").text(to_string(step.outcome));
    json.key("words").text(step.words);
    json.end();
  }
  json.end();
  json.key("entry");
  if (explanation.entry) {
    json.begin_object();
    json.key("source").text(explanation.entry->file->source);
    json.key("measured_otherwise")
        .text(software_difference(explanation.entry->entry->provenance,
                                  software_here(*selection.candidate.backend)));
    write_entry(json.key("entry"), *explanation.entry->entry);
    json.end();
  } else {
    json.null();
  }
  write_cost(json.key("cost_of_not_tuning"), explanation);
  json.end();
}

void print_json(const std::vector<Explained>& all) {
  JsonWriter json;
  json.begin_array();
  for (const Explained& explained : all) write_json(json, explained);
  json.end();
  std::fputs(std::move(json).take().c_str(), stdout);
}

}  // namespace

int explain(const Options& options) {
  if (Status status = use_existing_database(options.db); !status.ok()) {
    return complain(status, exit_failed);
  }
  Result<std::vector<measure::Case>> cases = load_case_file(options);
  if (!cases.ok()) return complain(cases.status(), exit_failed);
  const Result<measure::Case> workload = explained_case(std::move(cases).value(), options);
  if (!workload.ok()) return complain(workload.status(), exit_usage);
  const Result<NormDesc> desc = to_desc(workload.value());
  if (!desc.ok()) {
    return complain(shortened(workload.value().name, longest_name) + ": " + desc.status().message(),
                    exit_failed);
  }
  const Result<std::vector<Candidate>> targets = select_targets(options);
  if (!targets.ok()) return complain(targets.status(), exit_failed);
  const auto db = current_tuning_db();
  std::vector<Explained> all;
  for (const MemorySpace memory : memory_spaces(targets.value())) {
    const Result<Plan> plan = Plan::create(desc.value(), plan_options(memory, options));
    if (!plan.ok()) return complain(plan.status(), exit_failed);
    const Plan::Impl& impl = plan.value().impl();
    all.push_back({workload.value().name, plan.value(),
                   explain_selection(impl.problem, impl.selection, *db,
                                     software_here(*impl.selection.candidate.backend))});
  }
  if (options.format == OutputFormat::json) {
    print_json(all);
  } else {
    for (const Explained& explained : all) print_text(explained, options);
  }
  return exit_done;
}

}  // namespace fastnorm::tuner
