// SPDX-License-Identifier: Apache-2.0
/// The cuda back end among those of the build, and its device.
#pragma once

#include "core/backend.hpp"
#include "support/target.hpp"

#include <fastnorm/plan.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace fastnorm::test {

inline const Backend& cuda_backend() {
  for (const Backend* backend : target_backends()) {
    if (backend->name() == "cuda") return *backend;
  }
  throw std::logic_error("these tests are built with the cuda back end alone");
}

/// Where why_no_target() is empty.
inline const DeviceInfo& cuda_device() { return *cuda_backend().device(-1).value(); }

inline PlanOptions cuda_options(std::string_view strategy, std::string config = {}) {
  PlanOptions options = target_options(cuda_backend());
  options.strategy = strategy;
  options.config = std::move(config);
  return options;
}

}  // namespace fastnorm::test
