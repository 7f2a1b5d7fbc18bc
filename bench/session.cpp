// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include "core/problem.hpp"

#include <algorithm>
#include <array>

namespace fastnorm::bench {
namespace {

constexpr std::uint64_t seed = 1;
constexpr int repetitions = 3;

/// Three repetitions of this take 0.3 s at most on a GPU. A host's run of a large tensor takes
/// seconds, and its median settles with fewer.
measure::SampleLimits limits_for(MemorySpace memory) {
  measure::SampleLimits limits;
  limits.at_least = memory == MemorySpace::device ? 11 : 3;
  limits.at_most = 101;
  limits.seconds = 0.1;
  return limits;
}

std::int64_t tensor_bytes_of(const Subject& subject) {
  auto bytes = static_cast<std::int64_t>(size_of(subject.desc.x_type));
  for (int axis = 0; axis < subject.desc.extents.rank(); ++axis)
    bytes *= subject.desc.extents[axis];
  return bytes;
}

/// The subject of the largest case in this memory, or null.
const Subject* largest_in(MemorySpace memory, const std::vector<Subject>& subjects) {
  const Subject* largest = nullptr;
  for (const Subject& subject : subjects) {
    if (subject.target.backend->memory() != memory) continue;
    if (!largest || tensor_bytes_of(subject) > tensor_bytes_of(*largest)) largest = &subject;
  }
  return largest;
}

}  // namespace

Status Session::load(const Subject& subject) {
  if (loaded_ == subject.workload.name) return {};
  loaded_.clear();
  tensor_bytes_ = moved_bytes_ = 0;
  const Result<Problem> problem = Problem::create(subject.desc);
  if (!problem.ok()) return problem.status();
  const Status status = workbench_->load(subject.desc, subject.workload.affine, seed);
  if (!status.ok()) return status;
  loaded_ = subject.workload.name;
  tensor_bytes_ = problem.value().x_bytes();
  moved_bytes_ = problem.value().moved_bytes();
  return {};
}

Result<double> Session::copy_gb_s() {
  const Result<double> us = workbench_->copy_us(moved_bytes_);
  if (!us.ok()) return us.status();
  return static_cast<double>(moved_bytes_) / us.value() * 1e-3;
}

Result<Measurement> Session::measure(const Subject& subject) {
  if (const Status status = load(subject); !status.ok()) return status;
  const Result<Plan> plan = Plan::create(subject.desc, subject.options);
  if (!plan.ok()) return plan.status();
  const measure::Call call = measure::call_of(plan.value());

  const Result<measure::Verdict> verdict = workbench_->verify(call);
  if (!verdict.ok()) return verdict.status();
  if (!verdict.value().ok()) {
    return Status(StatusCode::device_error,
                  plan.value().describe() + ": wrong result: " + verdict.value().describe());
  }
  const Result<double> copy_us = workbench_->copy_us(moved_bytes_);
  if (!copy_us.ok()) return copy_us.status();

  std::array<double, repetitions> medians{};
  for (double& median : medians) {
    Result<std::vector<double>> samples =
        workbench_->time(call, limits_for(subject.target.backend->memory()));
    if (!samples.ok()) return samples.status();
    median = measure::median(std::move(samples).value());
  }
  std::sort(medians.begin(), medians.end());

  Measurement result;
  result.us = medians[repetitions / 2];
  result.spread = (medians.back() - medians.front()) / result.us;
  result.copy_us = copy_us.value();
  result.bytes = moved_bytes_;
  result.plan = plan.value().describe();
  return result;
}

Result<Sessions> open_sessions(const std::vector<Candidate>& targets) {
  Sessions sessions;
  for (const Candidate& target : targets) {
    if (sessions.count(target.backend->memory()) != 0) continue;
    Result<std::unique_ptr<measure::Workbench>> workbench = measure::make_workbench(*target.device);
    if (!workbench.ok()) return workbench.status();
    sessions.emplace(target.backend->memory(),
                     Session(*target.device, std::move(workbench).value()));
  }
  return sessions;
}

Status load_largest(MemorySpace memory, Session& session, SubjectList& list) {
  while (const Subject* largest = largest_in(memory, list.subjects)) {
    const Status status = session.load(*largest);
    if (status.code() != StatusCode::out_of_memory) return status;
    const std::string name = largest->workload.name;
    list.skipped.push_back({name, status.message()});
    const auto too_large = [&](const Subject& subject) {
      return subject.workload.name == name && subject.target.backend->memory() == memory;
    };
    list.subjects.erase(std::remove_if(list.subjects.begin(), list.subjects.end(), too_large),
                        list.subjects.end());
  }
  return {};
}

}  // namespace fastnorm::bench
