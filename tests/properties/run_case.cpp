// SPDX-License-Identifier: Apache-2.0
#include "run_case.hpp"

#include "core/plan_impl.hpp"
#include "support/guarded_buffer.hpp"
#include "support/plans.hpp"
#include "support/target.hpp"

#include <algorithm>
#include <utility>

namespace fastnorm::test {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

/// Where `unsupported` may be the answer to a sound descriptor, and the only place: of the back
/// ends for device memory only "cuda" walks every form of other memory than dense channels-first
/// tensors.
bool may_be_declined(const NormDesc& desc, const PlanOptions& options) {
  const bool dense = desc.layout == Layout::channels_first && desc.x_strides.rank() == 0 &&
                     desc.y_strides.rank() == 0;
  if (target_space() != MemorySpace::device || dense) return false;
  const std::vector<const Backend*> all = target_backends();
  return std::none_of(all.begin(), all.end(), [&options](const Backend* backend) {
    return backend->name() == "cuda" &&
           (options.backend.empty() || names_backend(options.backend, *backend));
  });
}

NormArgs changed(NormArgs args, const std::vector<PointerChange>& changes) {
  for (const PointerChange& change : changes) {
    const void* pointer = nullptr;
    if (change.onto) {
      // Where it leads may be nobody's.
      const auto base = reinterpret_cast<std::uintptr_t>(pointer_of(args, *change.onto));
      pointer = reinterpret_cast<const void*>(base + static_cast<std::uintptr_t>(change.bytes));
    }
    set_pointer(args, change.tensor, pointer);
  }
  return args;
}

void append(Faults& faults, Faults more) {
  for (Fault& fault : more) faults.push_back(std::move(fault));
}

bool matches(const Status& status, const Fault& fault) {
  return status.code() == fault.code &&
         std::all_of(fault.words.begin(), fault.words.end(), [&](const std::string& words) {
           return status.message().find(words) != std::string::npos;
         });
}

std::string to_text(const Status& status) {
  return std::string(to_string(status.code())) + ": " + status.message();
}

std::string to_text(const Faults& faults) {
  std::string text;
  for (const Fault& fault : faults) {
    text += "\n    " + std::string(to_string(fault.code)) + " with";
    for (const std::string& words : fault.words) text += " \"" + words + "\"";
  }
  return text;
}

AssertionResult is_expected(const Status& status, const Expectation& expected) {
  const auto fits = [&](const Fault& fault) { return matches(status, fault); };
  if (expected.faults.empty()) {
    if (status.ok() || (expected.declined && fits(*expected.declined))) return AssertionSuccess();
    return AssertionFailure() << "a sound call got " << to_text(status);
  }
  if (std::any_of(expected.faults.begin(), expected.faults.end(), fits)) return AssertionSuccess();
  return AssertionFailure() << "the call got " << to_text(status) << "\n  expected"
                            << to_text(expected.faults);
}

/// Whether the plan is what the options ask for.
AssertionResult follows(const Plan& plan, const PlanOptions& options) {
  const Selection& selection = plan.impl().selection;
  const auto differs = [](const char* what, const std::string& got, const std::string& wanted) {
    return AssertionFailure() << what << " is " << got << " where " << wanted << " is forced";
  };
  if (options.deterministic && !selection.variant->deterministic()) {
    return AssertionFailure() << plan.describe() << " does not repeat bit for bit";
  }
  if (options.launches == Launches::independent_blocks && needs_coresidency(plan)) {
    return AssertionFailure() << plan.describe() << " has blocks that wait for each other";
  }
  if (plan.backend().compare(0, options.backend.size(), options.backend) != 0) {
    return differs("the back end", plan.backend(), options.backend);
  }
  if (!options.strategy.empty() && plan.strategy() != options.strategy) {
    return differs("the strategy", plan.strategy(), options.strategy);
  }
  if (!options.config.empty() && plan.config() != options.config) {
    return differs("the configuration", plan.config(), options.config);
  }
  return AssertionSuccess();
}

/// With a workspace of just the size; one that is written beyond its ends is an answer of its own.
Status execute(const Plan& plan, const NormArgs& args, Stream stream) {
  const GarbageWorkspace workspace(target_memory(), plan.workspace_bytes());
  const Status status = plan.execute(args, workspace.data(), workspace.size(), stream);
  if (const AssertionResult intact = workspace.canaries_intact(); !intact) {
    return Status(StatusCode::device_error, std::string("workspace: ") + intact.message());
  }
  return status;
}

/// With the workspace that the case says.
Status execute(const PropertyCase& one, const Plan& plan, const NormArgs& args, Stream stream) {
  const std::size_t needed = plan.workspace_bytes();
  constexpr std::size_t off = 8;
  const GarbageWorkspace workspace(target_memory(), needed + off);
  auto* const bytes = static_cast<std::uint8_t*>(workspace.data());
  switch (one.workspace) {
    case Workspace::null:
      return plan.execute(args, nullptr, needed, stream);
    case Workspace::too_small:
      return plan.execute(args, bytes, needed > 0 ? needed - 1 : 0, stream);
    case Workspace::misaligned:
      return plan.execute(args, bytes + off, needed, stream);
    case Workspace::begins_with_a_tensor:
    case Workspace::begins_at_a_tensors_end:
    case Workspace::ends_in_a_tensor:
      if (faults_of_workspace(one, args, needed).empty()) break;  // A small one beside a small one.
      return plan.execute(args, place_of_workspace(one, args, needed), needed, stream);
    case Workspace::sound:
      break;
  }
  return execute(plan, args, stream);
}

Answer ask(const PropertyCase& one, const NormArgs& args, Stream stream) {
  if (one.way == Way::free_function) return {normalize(one.desc, args, stream, one.options)};
  Result<Plan> plan = Plan::create(one.desc, one.options);
  if (!plan.ok()) return {plan.status()};
  Status status = one.way == Way::plan ? execute(one, plan.value(), args, stream) : Status();
  return {std::move(status), std::move(plan).value()};
}

}  // namespace

LaidOut lay_out(const PropertyCase& one) {
  LaidOut laid;
  if (one.way == Way::plan_alone) return laid;
  laid.trial = std::make_unique<Trial>(one.tensors, target_memory());
  laid.args = changed(laid.trial->args(), one.pointers);
  const bool harmless =
      faults_of_arguments(one.desc).empty() && faults_of_pointers(one.desc, laid.args).empty();
  if (harmless) laid.args = laid.trial->args();
  return laid;
}

Expectation expect(const PropertyCase& one, const LaidOut& laid, const Answer& answer) {
  Expectation expected;
  expected.faults = faults_of_arguments(one.desc);
  const bool sound = expected.faults.empty();
  append(expected.faults, faults_of_options(one.options));
  if (!expected.faults.empty()) return expected;
  expected.faults = faults_of_forced(one.desc, one.options);
  if (sound && may_be_declined(one.desc, one.options)) {
    expected.declined = Fault{StatusCode::unsupported, {"strides="}};
  }
  // What a plan finds, after it was made.
  if (expected.faults.empty() && one.way != Way::plan_alone) {
    expected.faults = faults_of_pointers(one.desc, laid.args);
    const std::size_t needed = answer.plan ? answer.plan->workspace_bytes() : 0;
    append(expected.faults, faults_of_workspace(one, laid.args, needed));
  }
  return expected;
}

AssertionResult judge(const PropertyCase& one, const LaidOut& laid, const Expectation& expected,
                      const Answer& answer) {
  if (const auto right = is_expected(answer.status, expected); !right) return right;
  if (answer.plan) {
    if (const auto right = follows(*answer.plan, one.options); !right) return right;
  }
  if (!laid.trial) return AssertionSuccess();
  const bool ran = answer.status.ok() && !is_empty(one.desc);
  return ran ? laid.trial->check() : laid.trial->untouched();
}

Outcome run_case(const PropertyCase& one, Stream stream) {
  const LaidOut laid = lay_out(one);
  const Answer answer = ask(one, laid.args, stream);
  const Expectation expected = expect(one, laid, answer);
  Outcome outcome;
  outcome.verdict = judge(one, laid, expected, answer);
  outcome.was_valid = expected.faults.empty();
  if (!answer.status.ok()) {
    outcome.kind = std::string(outcome.was_valid ? "declined: " : "refused: ") +
                   to_string(answer.status.code());
    return outcome;
  }
  if (one.way == Way::plan_alone) {
    outcome.kind = "planned";
  } else if (is_empty(one.desc)) {
    outcome.kind = "nothing to do";
  } else {
    outcome.kind = "right";
    // The free function keeps its plan to itself; one that is forced is known.
    if (answer.plan) {
      outcome.strategy = answer.plan->backend() + " " + answer.plan->strategy();
    } else if (!one.options.strategy.empty()) {
      outcome.strategy = one.options.backend + " " + one.options.strategy;
    }
  }
  return outcome;
}

}  // namespace fastnorm::test
