# SPDX-License-Identifier: Apache-2.0
# Writes the list of this build's back ends. Called by name rather than registered by a static
# initialiser, which a static link would drop.
get_property(backends GLOBAL PROPERTY FASTNORM_BACKENDS)
set(declarations "")
set(calls "")
foreach(backend IN LISTS backends)
  string(APPEND declarations "namespace ${backend} {\nstd::vector<const Backend*> make_backends();\n}\n")
  string(APPEND calls "    for (const Backend* backend : ${backend}::make_backends()) list->push_back(backend);\n")
endforeach()
set(FASTNORM_REGISTRY_SOURCE "${PROJECT_BINARY_DIR}/generated/backend_registry.cpp")
file(CONFIGURE OUTPUT "${FASTNORM_REGISTRY_SOURCE}" @ONLY CONTENT [[
// Generated from the back ends of this build.
#include <vector>

#include "core/backend.hpp"

namespace fastnorm {

@declarations@
const std::vector<const Backend*>& backends() {
  // Never destroyed: a call from another static object's destructor still finds it.
  static const std::vector<const Backend*>& all = *[] {
    auto* list = new std::vector<const Backend*>;
@calls@    return list;
  }();
  return all;
}

}  // namespace fastnorm
]])
