#include "core/plan_cache.hpp"
#include "core/plan_impl.hpp"
#include "core/pointer_checks.hpp"
#include "core/workspace_pool.hpp"

#include <fastnorm/norm.hpp>

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
    if (device < 0 && info.kind == PointerKind::device) device = info.device;
  }
  if (!on_device) return {MemorySpace::host, 0};
  if (device < 0) {
    // A runtime that has failed meanwhile is Plan::create's to report.
    const Result<const DeviceInfo*> current = backend->device(-1);
    if (current.ok()) device = current.value()->ordinal;
  }
  return {MemorySpace::device, device};
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
  if (Status status =
          check_accessible(impl.problem, args, infos, *candidate.backend, *candidate.device);
      !status.ok()) {
    return status;
  }
  Result<WorkspacePool::Lease> workspace =
      workspace_pool().acquire(*candidate.backend, *candidate.device, stream, impl.workspace_bytes);
  if (!workspace.ok()) return workspace.status();
  return impl.launch(args, workspace.value().data(), workspace.value().size(), stream);
}

Status group_norm(const Extents& extents, std::int64_t groups, const float* x, float* y,
                  const float* gamma, const float* beta, const NormOptions& options) {
  NormDesc desc;
  desc.op = Op::group_norm;
  desc.extents = extents;
  desc.groups = groups;
  desc.eps = options.eps;
  return normalize(desc, {x, y, gamma, beta, options.mean, options.rstd}, options.stream,
                   options.plan);
}

Status instance_norm(const Extents& extents, const float* x, float* y, const float* gamma,
                     const float* beta, const NormOptions& options) {
  NormDesc desc;
  desc.op = Op::instance_norm;
  desc.extents = extents;
  desc.eps = options.eps;
  return normalize(desc, {x, y, gamma, beta, options.mean, options.rstd}, options.stream,
                   options.plan);
}

}  // namespace fastnorm
