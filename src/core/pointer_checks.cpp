#include "core/pointer_checks.hpp"

#include <cinttypes>
#include <cstdint>
#include <cstdio>

namespace fastnorm {
namespace {

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

std::string shown(const TensorView& tensor) {
  char text[32];
  std::snprintf(text, sizeof text, "=0x%" PRIxPTR, address(tensor.data));
  return tensor.name + std::string(text);
}

bool overlap(const TensorView& a, const TensorView& b) {
  return address(a.data) < address(b.data) + static_cast<std::uintptr_t>(b.bytes) &&
         address(b.data) < address(a.data) + static_cast<std::uintptr_t>(a.bytes);
}

/// In place is y = x exactly, element upon element.
bool allowed_alias(const TensorView& a, const TensorView& b) {
  return a.data == b.data && a.bytes == b.bytes && a.required && b.required;
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

TensorViews tensors_of(const Problem& problem, const NormArgs& args) noexcept {
  const NormDesc& desc = problem.desc();
  const std::size_t affine_size = size_of(desc.affine_type);
  const std::int64_t affine_bytes = problem.channels() * static_cast<std::int64_t>(affine_size);
  const std::size_t statistics_size = sizeof(float);
  const std::int64_t statistics_bytes = problem.rows() * static_cast<std::int64_t>(statistics_size);
  return {{
      {"x", args.x, problem.x_bytes(), size_of(desc.x_type), true, false},
      {"y", args.y, problem.y_bytes(), size_of(desc.y_type), true, true},
      {"gamma", args.gamma, affine_bytes, affine_size, false, false},
      {"beta", args.beta, affine_bytes, affine_size, false, false},
      {"mean", args.mean, statistics_bytes, statistics_size, false, true},
      {"rstd", args.rstd, statistics_bytes, statistics_size, false, true},
  }};
}

Status check_arguments(const Problem& problem, const NormArgs& args) {
  const TensorViews tensors = tensors_of(problem, args);
  for (const TensorView& tensor : tensors) {
    if (tensor.data == nullptr) {
      if (!tensor.required) continue;
      return Status(StatusCode::invalid_argument, std::string(tensor.name) +
                                                      " is null; it must point to " +
                                                      std::to_string(tensor.bytes) + " bytes");
    }
    if (address(tensor.data) % tensor.element_size != 0) {
      return Status(StatusCode::invalid_argument,
                    shown(tensor) + " must be aligned to its element size, " +
                        std::to_string(tensor.element_size) + " bytes");
    }
  }
  for (std::size_t out = 0; out < tensors.size(); ++out) {
    if (!tensors[out].written || tensors[out].data == nullptr) continue;
    for (std::size_t other = 0; other < tensors.size(); ++other) {
      // Of two outputs, the pair is met once.
      if (other == out || (tensors[other].written && other > out)) continue;
      if (tensors[other].data == nullptr || !overlap(tensors[out], tensors[other])) continue;
      if (allowed_alias(tensors[other], tensors[out])) continue;
      return Status(StatusCode::invalid_argument,
                    shown(tensors[out]) + " overlaps " + shown(tensors[other]) +
                        "; an output may overlap nothing, but y may be x itself");
    }
  }
  return {};
}

PointerInfos classify(const NormArgs& args) noexcept {
  const std::array<const void*, tensor_count> pointers = {args.x,    args.y,    args.gamma,
                                                          args.beta, args.mean, args.rstd};
  // Host back ends cannot tell what a pointer is; a device's runtime can.
  const Backend* device = working_device_backend();
  PointerInfos infos;
  for (std::size_t i = 0; i < tensor_count; ++i) {
    if (pointers[i] == nullptr) continue;
    if (device == nullptr) {
      infos[i].kind = PointerKind::host_plain;
    } else if (i == 1 && args.y == args.x) {
      infos[i] = infos[0];
    } else {
      infos[i] = device->pointer_info(pointers[i]);
    }
  }
  return infos;
}

Status check_accessible(const Problem& problem, const NormArgs& args, const PointerInfos& infos,
                        const Backend& backend, const DeviceInfo& device) {
  const TensorViews tensors = tensors_of(problem, args);
  for (std::size_t i = 0; i < tensor_count; ++i) {
    if (tensors[i].data == nullptr || backend.can_access(device, infos[i])) continue;
    return Status(
        StatusCode::invalid_argument,
        shown(tensors[i]) + " is " + describe(infos[i].kind) +
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
