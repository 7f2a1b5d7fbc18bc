// SPDX-License-Identifier: Apache-2.0
#include "property_case.hpp"

#include "support/random.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"

#include <array>
#include <sstream>

namespace fastnorm::test {
namespace {

const char* to_string(Way way) {
  constexpr std::array names = {"Plan::create and execute", "normalize", "Plan::create alone"};
  return names[static_cast<std::size_t>(way)];
}

const char* to_string(Workspace workspace) {
  constexpr std::array names = {"sound",
                                "null",
                                "too small",
                                "misaligned",
                                "that begins with ",
                                "that begins at the end of ",
                                "that ends in "};
  return names[static_cast<std::size_t>(workspace)];
}

std::string to_text(const PlanOptions& options) {
  std::ostringstream text;
  text << "memory=" << to_string(options.memory) << " device=" << options.device
       << " deterministic=" << options.deterministic
       << " tuning=" << static_cast<int>(options.tuning)
       << " launches=" << static_cast<int>(options.launches);
  if (!options.backend.empty()) text << " backend=" << options.backend;
  if (!options.strategy.empty()) text << " strategy=" << options.strategy;
  if (!options.config.empty()) text << " config=" << options.config;
  return text.str();
}

}  // namespace

bool meets_a_tensor(Workspace workspace) {
  return workspace == Workspace::begins_with_a_tensor ||
         workspace == Workspace::begins_at_a_tensors_end ||
         workspace == Workspace::ends_in_a_tensor;
}

std::vector<Strategy> target_strategies() {
  std::vector<Strategy> strategies;
  for (const Backend* backend : target_backends()) {
    const DeviceInfo* device = backend->device(-1).value();
    for (const KernelVariant* variant : backend->variants()) {
      strategies.push_back({backend, variant, device});
    }
  }
  return strategies;
}

std::string describe(const PropertyCase& one) {
  std::ostringstream text;
  text << "  asks for " << to_text(one.desc) << "\n  by       " << to_string(one.way) << ", "
       << to_text(one.options);
  if (one.workspace != Workspace::sound) {
    text << ", workspace " << to_string(one.workspace);
    if (meets_a_tensor(one.workspace)) text << to_string(one.under_workspace);
  }
  if (one.way != Way::plan_alone) text << "\n  tensors  " << describe(one.tensors);
  for (const PointerChange& change : one.pointers) {
    text << "\n  pointer  " << to_string(change.tensor) << " = ";
    if (change.onto) {
      text << to_string(*change.onto) << " and " << change.bytes << " bytes";
    } else {
      text << "null";
    }
  }
  for (const std::string& what : one.spoilt) text << "\n  spoilt   " << what;
  return text.str();
}

std::string replay_command(std::uint64_t number) {
  const char* program =
      target_space() == MemorySpace::host ? "property_host_test" : "property_gpu_test";
  return "FASTNORM_PROPERTY_CASE=" + std::to_string(number) + " tests/properties/" + program;
}

}  // namespace fastnorm::test
