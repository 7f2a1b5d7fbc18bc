# SPDX-License-Identifier: Apache-2.0
# What a user may set, and what AUTO comes to on this machine.

set(FASTNORM_CUDA AUTO CACHE STRING "Build the CUDA back end: AUTO (if a CUDA compiler is found), ON, OFF")
set(FASTNORM_KOKKOS AUTO CACHE STRING "Build the Kokkos back end: AUTO (if Kokkos is found), ON, OFF")
set_property(CACHE FASTNORM_CUDA FASTNORM_KOKKOS PROPERTY STRINGS AUTO ON OFF)
foreach(option FASTNORM_CUDA FASTNORM_KOKKOS)
  string(TOUPPER "${${option}}" value)
  if(value MATCHES "^(ON|TRUE|YES|Y|1)$")
    set(${option} ON)
  elseif(value MATCHES "^(OFF|FALSE|NO|N|0)$")
    set(${option} OFF)
  elseif(value STREQUAL "AUTO")
    set(${option} AUTO)
  else()
    message(FATAL_ERROR "${option}=${${option}} must be AUTO, ON or OFF.")
  endif()
endforeach()
option(FASTNORM_FETCH_KOKKOS "Download and build a pinned Kokkos release if none is installed" OFF)
set(FASTNORM_HOST_ARCH "" CACHE STRING
    "Instruction set of the host kernels, as for -march (\"native\" for the machine at hand); empty: several, chosen at run time")
option(BUILD_SHARED_LIBS "Build a shared library" OFF)
option(FASTNORM_BUILD_TOOLS "Build the autotune program" ${PROJECT_IS_TOP_LEVEL})
option(FASTNORM_BUILD_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(FASTNORM_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(FASTNORM_WERROR "Treat warnings in our own code as errors" ${PROJECT_IS_TOP_LEVEL})
set(FASTNORM_SANITIZE "" CACHE STRING "Host sanitizers, as for -fsanitize (\"address,undefined\")")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# FASTNORM_USE_CUDA: the answer to FASTNORM_CUDA.
set(FASTNORM_USE_CUDA OFF)
if(NOT FASTNORM_CUDA STREQUAL "OFF")
  # An explicit list also on a machine without a GPU: CMake's own default is the compiler's oldest
  # target. 90-virtual is the PTX that later chips compile. A value set by the user stands.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    set(CMAKE_CUDA_ARCHITECTURES "80-real;90-real;90-virtual" CACHE STRING "GPU architectures")
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(FASTNORM_USE_CUDA ON)
  elseif(FASTNORM_CUDA STREQUAL "ON")
    message(FATAL_ERROR "FASTNORM_CUDA=ON, but no CUDA compiler was found. Put nvcc on PATH, set "
                        "CMAKE_CUDA_COMPILER, or configure with -DFASTNORM_CUDA=OFF.")
  endif()
endif()
message(STATUS "fastnorm: CUDA back end: ${FASTNORM_USE_CUDA} (FASTNORM_CUDA=${FASTNORM_CUDA})")
