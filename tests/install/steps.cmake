# SPDX-License-Identifier: Apache-2.0
# The steps that the install tests are made of. A failing command ends the test and shows its output.

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# capture(<variable> <command...>): its output, both channels.
function(capture variable)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT OUTPUT_VARIABLE output ERROR_VARIABLE output
                  RESULT_VARIABLE result)
  if(result)
    message(FATAL_ERROR "exit status ${result}:\n${output}")
  endif()
  set(${variable} "${output}" PARENT_SCOPE)
endfunction()

function(expect_match text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "expected a match of \"${pattern}\" in:\n${text}")
  endif()
endfunction()

function(expect_no_match text pattern)
  if(text MATCHES "${pattern}")
    message(FATAL_ERROR "unexpected \"${CMAKE_MATCH_0}\" in:\n${text}")
  endif()
endfunction()

# build_and_run_consumer(<prefix> <folder> <expected>): separate projects, in C++ and in nothing but C, that know
# the prefix only.
function(build_and_run_consumer prefix folder expected)
  run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/consumer" -B "${folder}"
      -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_PREFIX_PATH=${prefix}")
  run("${CMAKE_COMMAND}" --build "${folder}")
  capture(output "${folder}/app")
  expect_match("${output}" "${expected}")
  capture(output "${folder}/app20")
  message(STATUS "${output}")

  run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/consumer_in_c" -B "${folder}-in-c"
      -G "${GENERATOR}" "-DCMAKE_C_COMPILER=${CC}" "-DCMAKE_PREFIX_PATH=${prefix}")
  run("${CMAKE_COMMAND}" --build "${folder}-in-c")
  capture(output "${folder}-in-c/app")
  expect_match("${output}" "${expected}")
endfunction()

# Installed, used, moved elsewhere, used again.
function(install_and_use build expected)
  run("${CMAKE_COMMAND}" --install "${build}" --prefix "${WORK}/prefix")
  build_and_run_consumer("${WORK}/prefix" "${WORK}/consumer" "${expected}")
  file(RENAME "${WORK}/prefix" "${WORK}/moved")
  build_and_run_consumer("${WORK}/moved" "${WORK}/consumer-of-moved" "${expected}")
endfunction()

# expect_no_cuda(<library> <nm options>): neither symbols of the CUDA runtime or driver, nor kernels.
function(expect_no_cuda library)
  capture(symbols nm ${ARGN} "${library}")
  expect_no_match("${symbols}" "[^\n]* (cuda[A-Z]|cu[A-Z][a-z]|__cuda|_ZN8fastnorm4cuda)[^\n]*")
endfunction()
