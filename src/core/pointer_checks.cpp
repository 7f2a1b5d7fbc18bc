// SPDX-License-Identifier: Apache-2.0
#include "core/pointer_checks.hpp"

#include <cinttypes>
#include <cstdint>
#include <cstdio>

namespace fastnorm {
namespace {

using Pointers = std::array<const void*, tensor_count>;

Pointers pointers_of(const NormArgs& args) noexcept {
  return {args.x,    args.y,        args.gamma, args.beta,  args.mean,
          args.rstd, args.residual, args.sum,   args.scale, args.shift};
}

constexpr std::array<const char*, tensor_count> tensor_names = {
    "x", "y", "gamma", "beta", "mean", "rstd", "residual", "sum", "scale", "shift"};

/// What a kernel does with a tensor.
enum class Access {
  reads,            ///< What many elements share.
  reads_elements,   ///< An element for each of y.
  writes,           ///< A value a row.
  writes_elements,  ///< An element for each of x.
};

bool is_written(Access access) {
  return access == Access::writes || access == Access::writes_elements;
}

/// An argument's memory: of a tensor from its first element to behind its last.
struct Stretch {
  const char* name;
  const void* data;
  std::int64_t bytes;
};

/// A tensor that is there, with what the checks need to know of it.
struct TensorView : Stretch {
  DType type;
  Access access;
  const RowStrides* strides;  ///< Of tensors with rows of elements.
};

/// The tensors of a call that are there: most calls have few, and the others cost nothing.
class TensorViews {
 public:
  TensorViews(const Problem& problem, const NormArgs& args) noexcept {
    const NormDesc& desc = problem.desc();
    const RowStrides* const of_x = &problem.memory().x;
    const RowStrides* const of_y = &problem.memory().y;
    add("x", args.x, problem.x_span(), desc.x_type, Access::reads_elements, of_x);
    add("y", args.y, problem.y_span(), desc.y_type, Access::writes_elements, of_y);
    add("gamma", args.gamma, problem.channels(), desc.affine_type, Access::reads);
    add("beta", args.beta, problem.channels(), desc.affine_type, Access::reads);
    const DType statistics_type = problem.accumulation_type();
    add("mean", args.mean, problem.rows(), statistics_type, Access::writes);
    add("rstd", args.rstd, problem.rows(), statistics_type, Access::writes);
    if (desc.residual != Residual::none) {
      add("residual", args.residual, problem.x_span(), desc.x_type, Access::reads_elements, of_x);
      add("sum", args.sum, problem.x_span(), desc.x_type, Access::writes_elements, of_x);
    }
    if (desc.epilogue.modulation != Modulation::none) {
      const std::int64_t each_sample = problem.samples() * problem.channels();
      add("scale", args.scale, each_sample, desc.affine_type, Access::reads);
      add("shift", args.shift, each_sample, desc.affine_type, Access::reads);
    }
  }

  const TensorView* begin() const noexcept { return views_.data(); }
  const TensorView* end() const noexcept { return views_.data() + count_; }

 private:
  void add(const char* name, const void* data, std::int64_t elements, DType type, Access access,
           const RowStrides* strides = nullptr) noexcept {
    if (data == nullptr) return;
    const auto size = static_cast<std::int64_t>(size_of(type));
    views_[count_++] = {{name, data, elements * size}, type, access, strides};
  }

  std::array<TensorView, tensor_count> views_;  // the first count_ have values
  std::size_t count_ = 0;
};

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

std::string shown(const char* name, const void* pointer) {
  char text[32];
  std::snprintf(text, sizeof text, "=0x%" PRIxPTR, address(pointer));
  return name + std::string(text);
}

Status invalid(std::string message) {
  return Status(StatusCode::invalid_argument, std::move(message));
}

bool share_a_byte(const Stretch& a, const Stretch& b) {
  return address(a.data) < address(b.data) + static_cast<std::uintptr_t>(b.bytes) &&
         address(b.data) < address(a.data) + static_cast<std::uintptr_t>(a.bytes);
}

std::string shown(const Stretch& stretch) {
  return shown(stretch.name, stretch.data) + " of " + std::to_string(stretch.bytes) + " bytes";
}

Status overlapping(const Stretch& a, const Stretch& b, const char* allowed) {
  return invalid(shown(a) + " overlaps " + shown(b) + "; " + allowed);
}

Status missing(const char* name, std::int64_t bytes) {
  return invalid(std::string(name) + " is null; it must point to " + std::to_string(bytes) +
                 " bytes");
}

Status unasked(const char* name, const void* pointer, const char* when) {
  return invalid(shown(name, pointer) + " must be null " + when);
}

/// The tensors that have to be there, and those that must not be.
Status check_presence(const Problem& problem, const NormArgs& args) {
  const NormDesc& desc = problem.desc();
  const auto span_bytes = [](std::int64_t elements, DType type) {
    return elements * static_cast<std::int64_t>(size_of(type));
  };
  const std::int64_t x_bytes = span_bytes(problem.x_span(), desc.x_type);
  if (args.x == nullptr) return missing("x", x_bytes);
  if (args.y == nullptr) return missing("y", span_bytes(problem.y_span(), desc.y_type));
  // Callers in C read them, too: members and values by the names that they have there.
  const char* no_sum =
      "unless the descriptor's residual, or the options' residual_sum, is rounded_sum or exact_sum";
  if (desc.residual != Residual::none) {
    if (args.residual == nullptr) return missing("residual", x_bytes);
  } else {
    if (args.residual != nullptr) return unasked("residual", args.residual, no_sum);
    if (args.sum != nullptr) return unasked("sum", args.sum, "without a residual");
  }
  if (desc.epilogue.modulation == Modulation::none) {
    const char* when = "unless the epilogue's modulation is scale_shift";
    if (args.scale != nullptr) return unasked("scale", args.scale, when);
    if (args.shift != nullptr) return unasked("shift", args.shift, when);
  }
  if (problem.statistics() == Statistics::mean_square && args.mean != nullptr) {
    return unasked("mean", args.mean, "in rms_norm, which has no mean");
  }
  return {};
}

/// Whether the two have their elements in the same way.
bool are_alike(const TensorView& a, const TensorView& b) {
  return a.type == b.type && a.strides != nullptr && b.strides != nullptr &&
         *a.strides == *b.strides;
}

/// Whether a byte belongs to both. What lies between the elements of a tensor is not its own, so
/// that slices of one matrix may take turns. That is told for tensors of the same type and strides;
/// of others, all that they reach over counts.
bool overlap(const RowMemory& memory, const TensorView& a, const TensorView& b) {
  if (!share_a_byte(a, b)) return false;
  const auto size = static_cast<std::int64_t>(size_of(a.type));
  const auto distance = static_cast<std::int64_t>(address(b.data) - address(a.data));
  if (!are_alike(a, b) || distance % size != 0) return true;
  return memory.share_a_place(*a.strides, distance / size);
}

/// In place is y or sum = x or residual exactly, element upon element.
bool is_in_place(const TensorView& out, const TensorView& in) {
  return out.access == Access::writes_elements && in.access == Access::reads_elements &&
         out.data == in.data && are_alike(out, in);
}

/// Tensors that are misaligned or overlap.
Status check_tensors(const Problem& problem, const TensorViews& tensors) {
  for (const TensorView& tensor : tensors) {
    const std::size_t element_size = size_of(tensor.type);
    if (address(tensor.data) % element_size != 0) {
      return invalid(shown(tensor.name, tensor.data) + " must be aligned to its element size, " +
                     std::to_string(element_size) + " bytes");
    }
  }
  for (const TensorView& out : tensors) {
    if (!is_written(out.access)) continue;
    for (const TensorView& other : tensors) {
      // Of two outputs, the pair is met once.
      if (&other == &out || (is_written(other.access) && &other > &out)) continue;
      if (is_in_place(out, other) || !overlap(problem.memory(), out, other)) continue;
      return overlapping(out, other,
                         "an output may overlap nothing, but y and sum may each be x or residual "
                         "itself, of the same type and strides");
    }
  }
  return {};
}

Status check_workspace(const TensorViews& tensors, const WorkspaceArgument& workspace) {
  if (workspace.needed == 0) return {};
  const Stretch used{"workspace", workspace.data, static_cast<std::int64_t>(workspace.needed)};
  if (used.data == nullptr) return missing(used.name, used.bytes);
  if (workspace.bytes < workspace.needed) {
    return invalid("workspace_bytes=" + std::to_string(workspace.bytes) +
                   " is too small; the plan needs " + std::to_string(workspace.needed));
  }
  if (address(used.data) % 16 != 0) {
    return invalid(shown(used.name, used.data) + " must be aligned to 16 bytes");
  }
  for (const TensorView& tensor : tensors) {
    if (share_a_byte(used, tensor)) {
      return overlapping(used, tensor, "a workspace may overlap nothing");
    }
  }
  return {};
}

const char* describe(PointerKind kind) {
  switch (kind) {
    case PointerKind::host_plain:
      return "plain host memory";
    case PointerKind::host_pinned:
      return "pinned host memory";
    case PointerKind::managed:
      return "managed memory";
    case PointerKind::device:
      return "device memory";
    case PointerKind::unknown:
      break;
  }
  return "unknown memory";
}

}  // namespace

Status check_arguments(const Problem& problem, const NormArgs& args) {
  if (Status status = check_presence(problem, args); !status.ok()) return status;
  return check_tensors(problem, TensorViews(problem, args));
}

Status check_arguments(const Problem& problem, const NormArgs& args,
                       const WorkspaceArgument& workspace) {
  if (Status status = check_presence(problem, args); !status.ok()) return status;
  const TensorViews tensors(problem, args);
  if (Status status = check_tensors(problem, tensors); !status.ok()) return status;
  return check_workspace(tensors, workspace);
}

PointerInfos classify(const NormArgs& args) {
  const Pointers pointers = pointers_of(args);
  // Host back ends cannot tell what a pointer is; a device's runtime can.
  const Backend* device = working_device_backend();
  PointerInfos infos;
  for (std::size_t i = 0; i < tensor_count; ++i) {
    if (pointers[i] == nullptr) continue;
    if (device == nullptr) {
      infos[i].kind = PointerKind::host_plain;
      continue;
    }
    std::size_t same = 0;
    while (pointers[same] != pointers[i]) ++same;
    infos[i] = same < i ? infos[same] : device->pointer_info(pointers[i]);
  }
  return infos;
}

Status check_accessible(const NormArgs& args, const PointerInfos& infos, const Backend& backend,
                        const DeviceInfo& device) {
  const Pointers pointers = pointers_of(args);
  for (std::size_t i = 0; i < tensor_count; ++i) {
    if (pointers[i] == nullptr || backend.can_access(device, infos[i])) continue;
    return invalid(shown(tensor_names[i], pointers[i]) + " is " + describe(infos[i].kind) +
                   (infos[i].device >= 0 ? " of device " + std::to_string(infos[i].device) : "") +
                   ", not accessible from this device (" + device.name +
                   (device.memory == MemorySpace::device
                        ? ", ordinal " + std::to_string(device.ordinal) +
                              "); allowed: its own device memory, managed or pinned memory"
                        : "); allowed: host, pinned or managed memory"));
  }
  return {};
}

}  // namespace fastnorm
