# SPDX-License-Identifier: Apache-2.0
# Compiles tuning_db/*.yaml into the library, so that a static link and a moved library find them.
file(GLOB shipped CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tuning_db/*.yaml")
set(FASTNORM_SHIPPED_TUNING_SOURCE "${PROJECT_BINARY_DIR}/generated/shipped_tuning.cpp")
# The list is a dependency of its own: when a file is removed, nothing else changes that make looks at.
set(shipped_list "${PROJECT_BINARY_DIR}/generated/shipped_tuning.list")
file(CONFIGURE OUTPUT "${shipped_list}" CONTENT "${shipped}" @ONLY)
add_custom_command(
  OUTPUT "${FASTNORM_SHIPPED_TUNING_SOURCE}"
  COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${FASTNORM_SHIPPED_TUNING_SOURCE}" "-DFILES=${shipped}"
          -P "${PROJECT_SOURCE_DIR}/cmake/EmbedTuning.cmake"
  DEPENDS ${shipped} "${shipped_list}" "${PROJECT_SOURCE_DIR}/cmake/EmbedTuning.cmake"
          "${PROJECT_SOURCE_DIR}/cmake/FastnormTextLiteral.cmake"
  VERBATIM)
