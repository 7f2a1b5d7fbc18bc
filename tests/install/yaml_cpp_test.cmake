# SPDX-License-Identifier: Apache-2.0
# yaml-cpp calls its target yaml-cpp up to 0.7 and yaml-cpp::yaml-cpp from 0.8 on. The library that is here, found
# as the package of either version, in a static build whose installed form hands it on to its consumer.
include("${CMAKE_CURRENT_LIST_DIR}/steps.cmake")

file(REMOVE_RECURSE "${WORK}")

# write_package(<folder> <target> <version>): with no target but that one.
function(write_package folder target version)
  file(WRITE "${folder}/yaml-cpp-config.cmake"
    "add_library(${target} INTERFACE IMPORTED)\n"
    "target_include_directories(${target} INTERFACE \"${YAML_CPP_HEADERS}\")\n"
    "target_link_libraries(${target} INTERFACE \"${YAML_CPP_LIBRARY}\")\n")
  file(WRITE "${folder}/yaml-cpp-config-version.cmake"
    "set(PACKAGE_VERSION ${version})\n"
    "set(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
endfunction()

# One build tree for both: with the second nothing is compiled anew.
function(build_and_use target version)
  set(prefix "${WORK}/${version}")
  write_package("${prefix}/lib/cmake/yaml-cpp" "${target}" "${version}")
  run("${CMAKE_COMMAND}" -S "${FASTNORM_SOURCE}" -B "${WORK}/build" -G "${GENERATOR}"
      "-DCMAKE_CXX_COMPILER=${CXX}" "-Dyaml-cpp_DIR=${prefix}/lib/cmake/yaml-cpp"
      -DFASTNORM_CUDA=OFF -DFASTNORM_KOKKOS=OFF -DBUILD_SHARED_LIBS=OFF
      -DFASTNORM_BUILD_TOOLS=OFF -DFASTNORM_BUILD_BENCH=OFF -DFASTNORM_BUILD_TESTS=OFF)
  run("${CMAKE_COMMAND}" --build "${WORK}/build" --target fastnorm --parallel 2)
  run("${CMAKE_COMMAND}" --install "${WORK}/build" --prefix "${prefix}")
  file(GLOB exported "${prefix}/lib*/cmake/fastnorm/fastnormTargets.cmake")
  file(READ "${exported}" targets)
  expect_match("${targets}" "LINK_ONLY:${target}>")
  build_and_run_consumer("${prefix}" "${WORK}/consumer-${version}" "unavailable")
endfunction()

build_and_use(yaml-cpp 0.7.0)
build_and_use(yaml-cpp::yaml-cpp 0.8.0)
