// SPDX-License-Identifier: Apache-2.0
#include "tuner/workbench_evaluator.hpp"

#include <utility>

namespace fastnorm::tuner {
namespace {

Status judge(const Result<measure::Verdict>& verdict) {
  if (!verdict.ok()) return verdict.status();
  if (verdict.value().ok()) return {};
  return {StatusCode::device_error, "wrong result: " + verdict.value().describe()};
}

}  // namespace

Result<measure::Call> WorkbenchEvaluator::call_of(const Contender& contender) {
  std::shared_ptr<const Executable>& executable = prepared_[contender.text()];
  if (executable == nullptr) {
    auto prepared = contender.variant->prepare(problem_, device_, contender.config);
    if (!prepared.ok()) return prepared.status();
    executable = std::move(prepared).value();
  }
  if (!executable->accepts(workbench_.args())) {
    return Status(StatusCode::unsupported, "refuses pointers that are aligned to a page");
  }
  return measure::Call{[executable](const NormArgs& args, void* workspace, Stream stream) {
                         return executable->launch(args, workspace, stream);
                       },
                       executable->workspace_bytes()};
}

Status WorkbenchEvaluator::verify(const Contender& contender) {
  const Result<measure::Call> call = call_of(contender);
  if (!call.ok()) return call.status();
  // More than once: a race may spare the first run, and the second finds other garbage.
  constexpr int runs = 2;
  for (int run = 0; run < runs; ++run) {
    Status status = judge(workbench_.verify(call.value()));
    if (!status.ok()) return status;
  }
  return {};
}

Status WorkbenchEvaluator::verify_in_place(const Contender& contender) {
  if (!workbench_.may_run_in_place()) return {};
  const Result<measure::Call> call = call_of(contender);
  return call.ok() ? judge(workbench_.verify_in_place(call.value())) : call.status();
}

Result<std::vector<double>> WorkbenchEvaluator::time(const Contender& contender,
                                                     const measure::SampleLimits& limits) {
  const Result<measure::Call> call = call_of(contender);
  if (!call.ok()) return call.status();
  Result<std::vector<double>> samples = workbench_.time(call.value(), limits);
  if (!samples.ok()) return samples;
  Status plausible = workbench_.check_plausible(measure::median(samples.value()));
  if (!plausible.ok()) return plausible;
  return samples;
}

}  // namespace fastnorm::tuner
