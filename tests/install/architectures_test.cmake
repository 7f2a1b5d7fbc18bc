# SPDX-License-Identifier: Apache-2.0
# GPU architectures: an explicit list where nobody has said anything, with or without a GPU in the machine,
# and the user's word where there is one.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

file(REMOVE_RECURSE "${WORK}")

# expect_architectures(<name> <regex of what must be there> <regex of what must not> <cmake arguments...>)
function(expect_architectures name present absent)
  run(${environment} "${CMAKE_COMMAND}" -S "${FASTNORM_SOURCE}" -B "${WORK}/${name}" -G "${GENERATOR}"
      "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CUDA_COMPILER=${CUDA_COMPILER}"
      -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DFASTNORM_KOKKOS=OFF
      -DFASTNORM_BUILD_TOOLS=OFF -DFASTNORM_BUILD_BENCH=OFF -DFASTNORM_BUILD_TESTS=OFF ${ARGN})
  file(READ "${WORK}/${name}/compile_commands.json" commands)
  expect_match("${commands}" "${present}")
  expect_no_match("${commands}" "${absent}")
endfunction()

set(environment "${CMAKE_COMMAND}" -E env --unset=CUDAARCHS)
expect_architectures(default "arch=compute_80,code=\\[?sm_80.*arch=compute_90,code=\\[?sm_90" "compute_(52|75)")
expect_architectures(variable "code=\\[?sm_89" "compute_(80|90)" -DCMAKE_CUDA_ARCHITECTURES=89-real)
set(environment "${CMAKE_COMMAND}" -E env CUDAARCHS=89-real)
expect_architectures(environment "code=\\[?sm_89" "compute_(80|90)")
