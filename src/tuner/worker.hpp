// SPDX-License-Identifier: Apache-2.0
/// Evaluates candidates in a process that may die of them.
#pragma once

#include "core/problem.hpp"
#include "tuner/evaluator.hpp"
#include "tuner/jobs.hpp"
#include "tuner/patience.hpp"
#include "tuner/worker_messages.hpp"
#include "tuner/worker_process.hpp"

#include <fastnorm/status.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::tuner {

/// This program as its own worker; on that GPU of those that this process sees, or on the current
/// one.
WorkerProgram this_program(std::optional<int> gpu = std::nullopt);

/// A worker process that is started when it is needed, and again when it has died, hung or lost its
/// device: that is the failure of the candidate that was being evaluated, and of nothing else. The
/// next one finds a new process that has taken the case up again. This process touches no device.
class Worker final : public Evaluator {
 public:
  explicit Worker(WorkerProgram program, const PatienceLimits& patience = {})
      : program_(std::move(program)), patience_(patience) {}

  /// Its back ends' current devices. Errors of this and the next two: unavailable (the process
  /// cannot be started), device_error (it died three times in a row, or lost its device).
  Result<DeviceList> devices();

  /// What lies below the back end.
  Result<measure::Software> software(const std::string& backend);

  /// Takes a case up; its copy ceiling, without the number of samples. Further errors: those of
  /// Workbench::load() and copy().
  Result<measure::Summary> load(const std::string& backend, const Job& job, std::uint64_t seed);

  // Of the case taken up last. Errors, beside WorkbenchEvaluator's: device_error, where the process
  // died or hung.
  Status verify(const Contender& contender) override;
  Status verify_in_place(const Contender& contender) override;
  Result<std::vector<double>> time(const Contender& contender,
                                   const measure::SampleLimits& limits) override;

  /// Failure once the case cannot be taken up any more.
  Status health() override { return broken_.ok() ? case_health_ : broken_; }

  /// Failure once no process can be had that works.
  const Status& process_health() const noexcept { return broken_; }

 private:
  Status verify(const Contender& contender, Placement placement);
  Result<CaseLoaded> load_now();

  /// Asks a process that is started if there is none; ended where it gave no such answer.
  template <class Answer>
  Result<Answer> ask(const WorkerRequest& request, std::chrono::milliseconds limit);

  /// For what has to go well: again in another process, and then for good not.
  template <class Answer>
  Result<Answer> insist(const WorkerRequest& request, std::chrono::milliseconds limit,
                        const std::string& what);

  /// Of a candidate: once, in a process that has the case.
  template <class Answer>
  Result<Answer> evaluate(const WorkerRequest& request, std::chrono::milliseconds limit);

  WorkerProgram program_;
  Patience patience_;
  std::optional<WorkerProcess> process_;
  std::optional<LoadCase> case_;
  std::string case_name_;
  bool has_case_ = false;                  ///< The process.
  std::chrono::duration<double> took_{0};  ///< The last answer.
  Status case_health_;
  Status broken_;
};

}  // namespace fastnorm::tuner
