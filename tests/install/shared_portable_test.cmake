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
foreach(symbol IN LISTS exported)
  if(NOT symbol MATCHES "^((vtable|typeinfo|typeinfo name) for )?fastnorm::")
    message(FATAL_ERROR "the library exports ${symbol}")
  endif()
endforeach()
list(LENGTH exported count)
message(STATUS "${count} symbols, all of fastnorm::")
if(count EQUAL 0)
  message(FATAL_ERROR "the library exports nothing")
endif()

expect_no_cuda("${library}")
expect_no_cuda("${library}" --dynamic)

install_and_use("${WORK}/build" "${EXPECTED}")
