# SPDX-License-Identifier: Apache-2.0
# cmake --install, and the package that find_package(fastnorm) finds.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/fastnorm")
install(TARGETS fastnorm EXPORT fastnormTargets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/fastnorm" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/tuning_db" DESTINATION "${CMAKE_INSTALL_DATADIR}/fastnorm"
        FILES_MATCHING PATTERN "*.yaml")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(EXPORT fastnormTargets NAMESPACE fastnorm:: DESTINATION "${package_dir}")

# A static library hands its own dependencies on; a shared one has them linked already.
set(FASTNORM_FIND_DEPENDENCIES "")
if(NOT BUILD_SHARED_LIBS)
  get_property(dependencies GLOBAL PROPERTY FASTNORM_DEPENDENCIES)
  foreach(dependency IN LISTS dependencies)
    string(APPEND FASTNORM_FIND_DEPENDENCIES "find_dependency(${dependency})\n")
  endforeach()
endif()
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/fastnormConfig.cmake.in" "${PROJECT_BINARY_DIR}/fastnormConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/fastnormConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/fastnormConfig.cmake" "${PROJECT_BINARY_DIR}/fastnormConfigVersion.cmake"
        DESTINATION "${package_dir}")
