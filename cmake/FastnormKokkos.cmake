# SPDX-License-Identifier: Apache-2.0
# Finds or fetches Kokkos.
#
# FASTNORM_USE_KOKKOS      the answer to FASTNORM_KOKKOS
# FASTNORM_KOKKOS_LIBRARY  what the library is linked with, in a form that an installed package can name
# FASTNORM_KOKKOS_PACKAGE  find_dependency() arguments of a static install; may be empty
# fastnorm_kokkos          target: how sources that include Kokkos are compiled and linked within this build

set(FASTNORM_USE_KOKKOS OFF)
if(FASTNORM_KOKKOS STREQUAL "OFF")
  message(STATUS "fastnorm: Kokkos back end: OFF (FASTNORM_KOKKOS=OFF)")
  return()
endif()

# Imported targets must reach the folder that links the library. A Kokkos without C++ extensions complains
# unless the project has said that it uses none. A Kokkos built for CUDA would put its compiler launcher in
# front of every command of the project unless asked for separate compilation.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
set(CMAKE_CXX_EXTENSIONS OFF)
find_package(Kokkos 3.4 QUIET OPTIONAL_COMPONENTS separable_compilation)
unset(CMAKE_CXX_EXTENSIONS)
set(found "Kokkos ${Kokkos_VERSION}: ${Kokkos_DEVICES}")
set(FASTNORM_KOKKOS_PACKAGE "Kokkos HINTS \"${Kokkos_DIR}\"")

if(NOT Kokkos_FOUND AND FASTNORM_FETCH_KOKKOS)
  include(FetchContent)
  # Release 4.6.01 by its commit, which a moved tag cannot change.
  FetchContent_Declare(Kokkos
    GIT_REPOSITORY https://github.com/kokkos/kokkos.git
    GIT_TAG 1b1383c6001f3bfe9fe309ca923c2d786600cc79
    SYSTEM)
  find_package(OpenMP QUIET COMPONENTS CXX)
  if(OpenMP_CXX_FOUND AND NOT DEFINED Kokkos_ENABLE_THREADS)
    set(Kokkos_ENABLE_OPENMP ON CACHE BOOL "OpenMP in the fetched Kokkos")
  endif()
  block()
    set(BUILD_SHARED_LIBS OFF)  # A copy for this library alone, which then needs no second file.
    FetchContent_MakeAvailable(Kokkos)
  endblock()
  set(Kokkos_FOUND TRUE)
  set(found "fetched")
  set(FASTNORM_KOKKOS_PACKAGE "Kokkos HINTS \"\${PACKAGE_PREFIX_DIR}\"")  # Installed with this library.
endif()

if(NOT Kokkos_FOUND)
  if(FASTNORM_KOKKOS STREQUAL "ON")
    message(FATAL_ERROR "FASTNORM_KOKKOS=ON, but Kokkos 3.4 or newer was not found. Install it "
                        "(libkokkos-dev or libtrilinos-kokkos-dev), set Kokkos_ROOT, or configure with "
                        "-DFASTNORM_FETCH_KOKKOS=ON or -DFASTNORM_KOKKOS=OFF.")
  endif()
  message(STATUS "fastnorm: Kokkos back end: OFF (Kokkos was not found)")
  return()
endif()

set(language CXX)
if(Kokkos_ENABLE_CUDA AND Kokkos_COMPILE_LANGUAGE STREQUAL "CUDA")
  if(NOT FASTNORM_USE_CUDA)
    if(FASTNORM_KOKKOS STREQUAL "ON")
      message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} was built for CUDA, which needs FASTNORM_CUDA=ON.")
    endif()
    message(STATUS "fastnorm: Kokkos back end: OFF (this Kokkos needs CUDA, which is off)")
    return()
  endif()
  set(language CUDA)
endif()

add_library(fastnorm_kokkos INTERFACE)
get_target_property(include_dirs Kokkos::kokkos INTERFACE_INCLUDE_DIRECTORIES)
if(IS_ABSOLUTE "${include_dirs}" AND NOT EXISTS "${include_dirs}")
  # Trilinos' packaging: the target's include folder does not exist, and its libraries are found by their
  # plain names. A consumer of a static install needs the one library, not the package.
  find_library(FASTNORM_KOKKOSCORE_LIBRARY NAMES trilinos_kokkoscore kokkoscore
               HINTS ${Kokkos_LIBRARY_DIRS} NO_CACHE REQUIRED)
  target_include_directories(fastnorm_kokkos SYSTEM INTERFACE ${Kokkos_INCLUDE_DIRS})
  target_link_libraries(fastnorm_kokkos INTERFACE "${FASTNORM_KOKKOSCORE_LIBRARY}")
  set(FASTNORM_KOKKOS_LIBRARY "${FASTNORM_KOKKOSCORE_LIBRARY}")
  set(FASTNORM_KOKKOS_PACKAGE "")
else()
  # The library is linked with Kokkos without being compiled like it: its language level and flags are for
  # the sources that include it.
  target_link_libraries(fastnorm_kokkos INTERFACE Kokkos::kokkos)
  set(FASTNORM_KOKKOS_LIBRARY "$<LINK_ONLY:Kokkos::kokkos>")
endif()
set(FASTNORM_USE_KOKKOS ON)
message(STATUS "fastnorm: Kokkos back end: ON (${found})")

# What any folder needs to know of it goes with the target.
set_target_properties(fastnorm_kokkos PROPERTIES FASTNORM_LANGUAGE ${language})
if(Kokkos_ENABLE_CUDA AND language STREQUAL "CXX")
  # This Kokkos wants its launcher in front of the C++ compiler, which turns it into nvcc.
  kokkos_compilation(TARGET fastnorm_kokkos)
endif()

# fastnorm_compile_with_kokkos(<target> <sources>): the sources include Kokkos.
function(fastnorm_compile_with_kokkos target)
  target_link_libraries(${target} PRIVATE fastnorm_kokkos)
  get_target_property(language fastnorm_kokkos FASTNORM_LANGUAGE)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE ${language})
  # Host code hands its lambdas to functions of both sides, which nvcc takes for a fault unless they may be
  # called as constant expressions.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>)
  get_target_property(launcher fastnorm_kokkos RULE_LAUNCH_COMPILE)
  if(launcher)
    set_target_properties(${target} PROPERTIES RULE_LAUNCH_COMPILE "${launcher}")
    # What nvcc generates fails -Wpedantic.
    target_compile_options(${target} PRIVATE -Wno-pedantic -Wno-error --expt-relaxed-constexpr)
  endif()
endfunction()
