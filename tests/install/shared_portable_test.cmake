# SPDX-License-Identifier: Apache-2.0
# A shared library without CUDA: what it exports, what it needs, and that a program can use it.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" -S "${FASTNORM_SOURCE}" -B "${WORK}/build" -G "${GENERATOR}"
    "-DCMAKE_CXX_COMPILER=${CXX}" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON
    -DFASTNORM_CUDA=OFF "-DFASTNORM_KOKKOS=${FASTNORM_KOKKOS}" "-DKokkos_DIR=${Kokkos_DIR}"
    -DFASTNORM_BUILD_TOOLS=OFF -DFASTNORM_BUILD_BENCH=OFF -DFASTNORM_BUILD_TESTS=OFF)
run("${CMAKE_COMMAND}" --build "${WORK}/build" --target fastnorm --parallel 2)

file(GLOB library "${WORK}/build/src/libfastnorm.so")
capture(exported nm --dynamic --demangle --defined-only --format=posix "${library}")
string(REGEX REPLACE "\n$" "" exported "${exported}")
string(REPLACE ";" "," exported "${exported}")
string(REPLACE "\n" ";" exported "${exported}")
set(exported_to_c "")
set(exported_to_cpp "")
foreach(symbol IN LISTS exported)
  if(symbol MATCHES "^(fastnorm_[a-z0-9_]+) T ")
    list(APPEND exported_to_c "${CMAKE_MATCH_1}")
  elseif(symbol MATCHES "^((vtable|typeinfo|typeinfo name) for )?fastnorm::")
    list(APPEND exported_to_cpp "${symbol}")
  else()
    message(FATAL_ERROR "the library exports ${symbol}")
  endif()
endforeach()
list(LENGTH exported_to_cpp count)
message(STATUS "${count} symbols of fastnorm::")
if(count EQUAL 0)
  message(FATAL_ERROR "the library exports nothing to C++")
endif()

# To C, what its header declares, no more and no less.
file(READ "${FASTNORM_SOURCE}/include/fastnorm/fastnorm.h" header)
string(REGEX MATCHALL "FASTNORM_API [^;(]*\\(" declared "${header}")
list(TRANSFORM declared REPLACE ".*(fastnorm_[a-z0-9_]+)\\($" "\\1")
list(SORT declared)
list(SORT exported_to_c)
if(NOT exported_to_c STREQUAL declared)
  message(FATAL_ERROR "fastnorm.h declares\n${declared}\nand the library exports\n${exported_to_c}")
endif()

expect_no_cuda("${library}")
expect_no_cuda("${library}" --dynamic)

install_and_use("${WORK}/build" "${EXPECTED}")
