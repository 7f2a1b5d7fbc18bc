# SPDX-License-Identifier: Apache-2.0
# A machine without nvcc: AUTO builds without CUDA and says so, ON is an error that says what to do.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

file(REMOVE_RECURSE "${WORK}")
set(without_nvcc "${CMAKE_COMMAND}" -E env --unset=CUDACXX --unset=CUDA_PATH PATH=/usr/bin:/bin)
execute_process(COMMAND ${without_nvcc} sh -c "command -v nvcc" RESULT_VARIABLE none OUTPUT_QUIET)
if(NOT none)
  message(STATUS "nvcc lies beside the system's programs; there is no being without it")
  return()
endif()
set(configure ${without_nvcc} "${CMAKE_COMMAND}" -S "${FASTNORM_SOURCE}" -G "${GENERATOR}"
    "-DCMAKE_CXX_COMPILER=${CXX}" -DFASTNORM_KOKKOS=OFF
    -DFASTNORM_BUILD_TOOLS=OFF -DFASTNORM_BUILD_BENCH=OFF -DFASTNORM_BUILD_TESTS=OFF)

capture(output ${configure} -B "${WORK}/auto")
expect_match("${output}" "CUDA back end: OFF")

execute_process(COMMAND ${configure} -B "${WORK}/on" -DFASTNORM_CUDA=ON
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result)
  message(FATAL_ERROR "FASTNORM_CUDA=ON was accepted without a CUDA compiler:\n${output}")
endif()
expect_match("${output}" "no CUDA compiler was found")
