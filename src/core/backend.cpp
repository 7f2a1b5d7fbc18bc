// SPDX-License-Identifier: Apache-2.0
#include "core/backend.hpp"

namespace fastnorm {

const Backend* find_backend(std::string_view name) {
  for (const Backend* backend : backends()) {
    if (backend->name() == name) return backend;
  }
  return nullptr;
}

const Backend* working_device_backend() {
  static const Backend* const working = []() -> const Backend* {
    for (const Backend* backend : backends()) {
      if (backend->memory() == MemorySpace::device && backend->device(-1).ok()) return backend;
    }
    return nullptr;
  }();
  return working;
}

std::string_view family_of(std::string_view backend) noexcept {
  return backend.substr(0, backend.find('-'));
}

bool names_backend(std::string_view wanted, const Backend& backend) noexcept {
  return wanted == backend.name() || wanted == family_of(backend.name());
}

const KernelVariant* find_variant(const Backend& backend, std::string_view strategy) noexcept {
  for (const KernelVariant* variant : backend.variants()) {
    if (variant->name() == strategy) return variant;
  }
  return nullptr;
}

}  // namespace fastnorm
