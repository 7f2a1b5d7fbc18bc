# SPDX-License-Identifier: Apache-2.0
# The build tree that the tests belong to, installed.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

file(REMOVE_RECURSE "${WORK}")
install_and_use("${FASTNORM_BUILD}" "${EXPECTED}")

file(STRINGS "${FASTNORM_BUILD}/CMakeCache.txt" cuda REGEX "^FASTNORM_CUDA:")
file(GLOB library "${WORK}/moved/lib*/libfastnorm.a")
if(cuda MATCHES "=OFF$" AND library)
  expect_no_cuda("${library}")
endif()

# Nothing of how and where it was built is installed.
file(GLOB_RECURSE files "${WORK}/moved/*.cmake" "${WORK}/moved/*.h" "${WORK}/moved/*.hpp")
foreach(file IN LISTS files)
  file(READ "${file}" text)
  string(FIND "${text}" "${FASTNORM_BUILD}" in_build)
  string(FIND "${text}" "${FASTNORM_SOURCE}/" in_source)
  if(NOT in_build EQUAL -1 OR NOT in_source EQUAL -1)
    message(FATAL_ERROR "${file} names the build or the source tree")
  endif()
endforeach()
