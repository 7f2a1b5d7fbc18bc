// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker.hpp"

#include "tuner/suspension.hpp"
#include "tuner/visible_gpu.hpp"
#include "tuner/worker_service.hpp"

namespace fastnorm::tuner {
namespace {

/// A process that dies of what has to go well may have met with an accident; twice it may be the
/// machine's; three times nobody will see it otherwise.
constexpr int attempts = 3;

bool lost_device(const DeviceList&) { return false; }
bool lost_device(const SoftwareTold& told) {
  return told.status.code() == StatusCode::device_error;
}
bool lost_device(const CaseLoaded& loaded) {
  return loaded.status.code() == StatusCode::device_error;
}

Status status_of(const DeviceList&) { return {}; }
Status status_of(const SoftwareTold& told) { return told.status; }
Status status_of(const CaseLoaded& loaded) { return loaded.status; }

}  // namespace

WorkerProgram this_program(std::optional<int> gpu) {
  WorkerProgram program{"/proc/self/exe", {worker_argument}, {}};
  if (gpu) program.environment.push_back(visible_gpu(*gpu));
  return program;
}

template <class Answer>
Result<Answer> Worker::ask(const WorkerRequest& request, std::chrono::milliseconds limit) {
  if (!process_) {
    Result<WorkerProcess> started = WorkerProcess::start(program_);
    if (!started.ok()) return started.status();
    process_ = std::move(started).value();
    has_case_ = false;
    limit += patience_.to_start();
  }
  const auto begin = running_time();
  const Result<std::string> line = process_->exchange(to_line(request), limit);
  took_ = running_time() - begin;
  const std::optional<WorkerAnswer> answer = line.ok() ? parse_answer(line.value()) : std::nullopt;
  if (answer && std::holds_alternative<Answer>(*answer)) return std::get<Answer>(*answer);
  process_.reset();
  if (!line.ok()) return line.status();
  return Status(StatusCode::device_error, "the process sent what is no answer");
}

template <class Answer>
Result<Answer> Worker::insist(const WorkerRequest& request, std::chrono::milliseconds limit,
                              const std::string& what) {
  if (!broken_.ok()) return broken_;
  Status why;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Result<Answer> answer = ask<Answer>(request, limit);
    if (answer.ok() && !lost_device(answer.value())) return answer;
    why = answer.ok() ? status_of(answer.value()) : answer.status();
    process_.reset();
    if (why.code() == StatusCode::unavailable) break;  // It cannot be started.
  }
  const bool died = why.code() != StatusCode::unavailable;
  const std::string count = died ? ", " + std::to_string(attempts) + " times in a row" : "";
  broken_ = Status(why.code(), what + " failed" + count + ": " + why.message());
  return broken_;
}

template <class Answer>
Result<Answer> Worker::evaluate(const WorkerRequest& request, std::chrono::milliseconds limit) {
  if (!process_ || !has_case_) {
    const Result<CaseLoaded> loaded = load_now();
    case_health_ = loaded.ok() ? loaded.value().status : loaded.status();
  }
  if (Status status = health(); !status.ok()) return status;
  Result<Answer> answer = ask<Answer>(request, limit);
  if (!answer.ok() || answer.value().health.ok()) return answer;
  process_.reset();
  return Status(StatusCode::device_error, "lost the device: " + answer.value().health.message());
}

Result<DeviceList> Worker::devices() {
  return insist<DeviceList>(ListDevices{}, patience_.to_start(), "looking for devices");
}

Result<measure::Software> Worker::software(const std::string& backend) {
  const Result<SoftwareTold> told =
      insist<SoftwareTold>(TellSoftware{backend}, patience_.to_start(), "starting to measure");
  if (!told.ok()) return told.status();
  if (!told.value().status.ok()) return told.value().status;
  return told.value().software;
}

Result<measure::Summary> Worker::load(const std::string& backend, const Job& job,
                                      std::uint64_t seed) {
  case_ = LoadCase{backend, seed, job.workload.affine, job.problem.desc(), CopyCeiling::wanted};
  case_name_ = job.workload.name;
  case_health_ = Status();
  patience_.begin(job.problem.moved_bytes());
  const Result<CaseLoaded> loaded = load_now();
  if (!loaded.ok()) return loaded.status();
  if (!loaded.value().status.ok()) return loaded.value().status;
  return measure::Summary{loaded.value().copy_us, loaded.value().copy_mad_us, 0};
}

Result<CaseLoaded> Worker::load_now() {
  Result<CaseLoaded> loaded =
      insist<CaseLoaded>(*case_, patience_.to_load(), "loading " + case_name_);
  has_case_ = loaded.ok() && loaded.value().status.ok();
  if (!has_case_) return loaded;
  patience_.loaded(took_);
  case_->copy_ceiling = CopyCeiling::known;
  return loaded;
}

Status Worker::verify(const Contender& contender) { return verify(contender, Placement::beside); }

Status Worker::verify_in_place(const Contender& contender) {
  return verify(contender, Placement::in_place);
}

Status Worker::verify(const Contender& contender, Placement placement) {
  const Result<CandidateVerified> verified = evaluate<CandidateVerified>(
      VerifyCandidate{contender.text(), placement}, patience_.to_verify());
  if (!verified.ok()) return verified.status();
  if (verified.value().status.ok()) patience_.verified(took_);
  return verified.value().status;
}

Result<std::vector<double>> Worker::time(const Contender& contender,
                                         const measure::SampleLimits& limits) {
  Result<CandidateTimed> timed =
      evaluate<CandidateTimed>(TimeCandidate{contender.text(), limits}, patience_.to_time(limits));
  if (!timed.ok()) return timed.status();
  if (!timed.value().status.ok()) return timed.value().status;
  patience_.timed(took_, timed.value().samples_us.size());
  return std::move(timed.value().samples_us);
}

}  // namespace fastnorm::tuner
