// SPDX-License-Identifier: Apache-2.0
#include "core/plan_cache.hpp"
#include "core/plan_impl.hpp"
#include "core/pointer_checks.hpp"
#include "core/workspace_pool.hpp"

#include <fastnorm/norm.hpp>

#include <array>
#include <string>

namespace fastnorm {
namespace {

bool has_backend(MemorySpace memory) {
  for (const Backend* backend : backends()) {
    if (backend->memory() == memory) return true;
  }
  return false;
}

/// Where a call with these pointers runs, as group_norm's documentation states it.
Placement place(const PointerInfos& infos, const PlanOptions& options) {
  if (options.memory != MemorySpace::automatic && options.memory != MemorySpace::device) {
    return {options.memory, options.device};
  }
  const Backend* backend = working_device_backend();
  if (backend == nullptr) {
    // Plan::create reports the missing device where one was asked for.
    return {options.memory == MemorySpace::device || !has_backend(MemorySpace::host)
                ? MemorySpace::device
                : MemorySpace::host,
            options.device};
  }
  int device = options.device;
  bool on_device = options.memory == MemorySpace::device || !has_backend(MemorySpace::host);
  for (const PointerInfo& info : {infos[0], infos[1]}) {  // x and y
    if (info.kind != PointerKind::device && info.kind != PointerKind::managed) continue;
    on_device = true;
    if (device == -1 && info.kind == PointerKind::device) device = info.device;
  }
  if (!on_device) return {MemorySpace::host, 0};
  if (device == -1) {
    // A runtime that has failed meanwhile is Plan::create's to report.
    const Result<const DeviceInfo*> current = backend->device(-1);
    if (current.ok()) device = current.value()->ordinal;
  }
  return {MemorySpace::device, device};
}

/// A tensor of a free function, under its name in messages.
struct Named {
  const char* name;
  ConstData tensor;
};

bool is_other(const ConstData& tensor, DType type) {
  return tensor.data != nullptr && tensor.type != type;
}

Status wrong_type(const Named& named, DType type, const char* why) {
  return Status(StatusCode::invalid_argument, std::string(named.name) + " is " +
                                                  to_string(named.tensor.type) + "; it must be " +
                                                  to_string(type) + ", " + why);
}

/// Sets the one type of all tensors that a channel has, and leaves it where there is none of them.
/// Error: they have several.
Status find_affine_type(const std::array<Named, 4>& tensors, DType& type) {
  const Named* first = nullptr;
  for (const Named& named : tensors) {
    if (named.tensor.data == nullptr) continue;
    if (first == nullptr) first = &named;
    if (named.tensor.type == first->tensor.type) continue;
    return Status(StatusCode::invalid_argument,
                  std::string(first->name) + " is " + to_string(first->tensor.type) + " and " +
                      named.name + " is " + to_string(named.tensor.type) +
                      "; gamma, beta, scale and shift must have one type");
  }
  if (first != nullptr) type = first->tensor.type;
  return {};
}

/// Of the operations over groups of channels.
NormDesc over_channels(Op op, const Extents& extents, std::int64_t groups) {
  NormDesc desc;
  desc.op = op;
  desc.extents = extents;
  desc.groups = groups;
  return desc;
}

/// Of those over the last extents.
NormDesc over_last_extents(Op op, const Extents& extents, int normalized_rank) {
  NormDesc desc;
  desc.op = op;
  desc.extents = extents;
  desc.normalized_rank = normalized_rank;
  return desc;
}

/// The rest of the descriptor from the tensors and the options, and the call.
Status normalize_typed(NormDesc desc, ConstData x, Data y, ConstData gamma, ConstData beta,
                       const NormOptions& options) {
  const DType accumulation_type = x.type == DType::f64 ? DType::f64 : DType::f32;
  for (const Named& named : {Named{"residual", options.residual}, Named{"sum", options.sum}}) {
    if (is_other(named.tensor, x.type)) return wrong_type(named, x.type, "x's type");
  }
  for (const Named& named : {Named{"mean", options.mean}, Named{"rstd", options.rstd}}) {
    if (is_other(named.tensor, accumulation_type)) {
      return wrong_type(named, accumulation_type, "the type that x is accumulated in");
    }
  }
  desc.affine_type = x.type;
  if (Status status = find_affine_type(
          {{{"gamma", gamma}, {"beta", beta}, {"scale", options.scale}, {"shift", options.shift}}},
          desc.affine_type);
      !status.ok()) {
    return status;
  }

  desc.eps = options.eps;
  desc.layout = options.layout;
  desc.x_strides = options.x_strides;
  desc.y_strides = options.y_strides;
  desc.x_type = x.type;
  desc.y_type = y.type;
  if (options.residual.data != nullptr) desc.residual = options.residual_sum;
  desc.epilogue = options.epilogue;
  if (options.scale.data != nullptr || options.shift.data != nullptr) {
    desc.epilogue.modulation = Modulation::scale_shift;
  }

  NormArgs args;
  args.x = x.data;
  args.y = y.data;
  args.gamma = gamma.data;
  args.beta = beta.data;
  args.mean = options.mean.data;
  args.rstd = options.rstd.data;
  args.residual = options.residual.data;
  args.sum = options.sum.data;
  args.scale = options.scale.data;
  args.shift = options.shift.data;
  return normalize(desc, args, options.stream, options.plan);
}

}  // namespace

Status normalize(const NormDesc& desc, const NormArgs& args, Stream stream,
                 const PlanOptions& options) {
  const PointerInfos infos = classify(args);
  const Placement placement = place(infos, options);
  Result<Plan> plan = plan_cache().get(desc, options, placement);
  if (!plan.ok()) return plan.status();
  const Plan::Impl& impl = plan.value().impl();
  if (impl.problem.empty()) return {};
  const Candidate& candidate = impl.selection.candidate;
  if (Status status = check_arguments(impl.problem, args); !status.ok()) return status;
  if (Status status = check_accessible(args, infos, *candidate.backend, *candidate.device);
      !status.ok()) {
    return status;
  }
  Result<WorkspacePool::Lease> workspace =
      workspace_pool().acquire(*candidate.backend, *candidate.device, stream, impl.workspace_bytes);
  if (!workspace.ok()) return workspace.status();
  return impl.launch(args, workspace.value().data(), stream);
}

Status group_norm(const Extents& extents, std::int64_t groups, ConstData x, Data y, ConstData gamma,
                  ConstData beta, const NormOptions& options) {
  return normalize_typed(over_channels(Op::group_norm, extents, groups), x, y, gamma, beta,
                         options);
}

Status instance_norm(const Extents& extents, ConstData x, Data y, ConstData gamma, ConstData beta,
                     const NormOptions& options) {
  constexpr std::int64_t one_each = 0;
  return normalize_typed(over_channels(Op::instance_norm, extents, one_each), x, y, gamma, beta,
                         options);
}

Status layer_norm(const Extents& extents, int normalized_rank, ConstData x, Data y, ConstData gamma,
                  ConstData beta, const NormOptions& options) {
  return normalize_typed(over_last_extents(Op::layer_norm, extents, normalized_rank), x, y, gamma,
                         beta, options);
}

Status rms_norm(const Extents& extents, int normalized_rank, ConstData x, Data y, ConstData gamma,
                const NormOptions& options) {
  return normalize_typed(over_last_extents(Op::rms_norm, extents, normalized_rank), x, y, gamma,
                         nullptr, options);
}

}  // namespace fastnorm
