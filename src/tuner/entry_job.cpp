// SPDX-License-Identifier: Apache-2.0
#include "tuner/entry_job.hpp"

#include "core/op_kind.hpp"

#include <utility>

namespace fastnorm::tuner {
namespace {

measure::Case case_of(const TuningEntry& entry) {
  const TuningKey& key = entry.key;
  const TuningShape& shape = entry.shape;
  measure::Case workload;
  workload.name = title(entry);
  workload.op = to_string(key.op);
  workload.n = shape.n;
  workload.c = shape.c;
  workload.groups = shape.groups;
  workload.layout = key.layout;
  if (shape.inner > 1) workload.spatial = {shape.inner};
  if (normalises_last_extents(key.op) && key.layout == Layout::channels_last) {
    // Rows that lie side by side: those over the channels of one channels-first image.
    workload.op += "_channels";
    workload.n = 1;
    workload.spatial = {shape.n};
    workload.layout = Layout::channels_first;
  }
  workload.dtype = key.x_type;
  workload.y_dtype = key.y_type;
  workload.affine_dtype = key.affine_type;
  workload.activation = key.epilogue.activation;
  workload.fused = key.epilogue;
  workload.fused.activation = Activation::none;
  return workload;
}

}  // namespace

std::string title(const TuningEntry& entry) {
  const TuningKey& key = entry.key;
  const TuningShape& shape = entry.shape;
  std::string text = std::string(to_string(key.op)) + " " + to_string(key.x_type);
  if (key.y_type != key.x_type) text += std::string("->") + to_string(key.y_type);
  if (!(key.epilogue == EpilogueKey())) text += " " + to_string(key.epilogue);
  return text + " " + std::to_string(shape.n) + "x" + std::to_string(shape.c) + "x" +
         std::to_string(shape.inner) + " groups=" + std::to_string(shape.groups);
}

Result<Job> job_of(const TuningEntry& entry) {
  measure::Case workload = case_of(entry);
  const Result<NormDesc> desc = to_desc(workload);
  if (!desc.ok()) return desc.status();
  const Result<Problem> problem = Problem::create(desc.value());
  TuningKey key = TuningKey::of(problem.value(), entry.key.backend);
  key.alignment = entry.key.alignment;
  key.deterministic = entry.key.deterministic;
  if (!(key == entry.key) || !(TuningShape::of(problem.value()) == entry.shape)) {
    return Status(StatusCode::unsupported, "there is no call with its key and shape");
  }
  return Job{0, std::move(workload), problem.value()};
}

}  // namespace fastnorm::tuner
