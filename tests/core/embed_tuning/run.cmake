# SPDX-License-Identifier: Apache-2.0
# cmake -DCOMPILER=<c++> -DSOURCE_DIR=<project> -DWORK_DIR=<folder> -P run.cmake
# Embeds none, one and several files, awkward ones among them, and has a program compare.
file(REMOVE_RECURSE "${WORK_DIR}")
file(MAKE_DIRECTORY "${WORK_DIR}")

set(line "  - key: {backend: cuda} # a; b;; [c] \"d\" \\ \${e} @f@ \$<g> ]] é\n")
string(REPEAT "${line}" 3000 long)  # past 64 KB, with a character of two bytes on some boundaries
file(WRITE "${WORK_DIR}/plain.yaml" "schema: 1\n")
file(WRITE "${WORK_DIR}/empty.yaml" "")
file(WRITE "${WORK_DIR}/long.yaml" "${long}")
file(WRITE "${WORK_DIR}/literal.yaml" "note: )yaml\" )yaml_\" R\"yaml(\nlast: no newline;")

function(check)
  list(LENGTH ARGN count)
  set(source "${WORK_DIR}/embedded_${count}.cpp")
  set(program "${WORK_DIR}/compare_${count}")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${source}" "-DFILES=${ARGN}"
            -P "${SOURCE_DIR}/cmake/EmbedTuning.cmake"
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND "${COMPILER}" -std=c++17 -Wall -Wextra -Wpedantic -Werror "-I${SOURCE_DIR}/include"
            "-I${SOURCE_DIR}/src" "${SOURCE_DIR}/tests/core/embed_tuning/main.cpp" "${source}" -o "${program}"
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${program}" ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

check()
check("${WORK_DIR}/plain.yaml")
check("${WORK_DIR}/empty.yaml" "${WORK_DIR}/literal.yaml" "${WORK_DIR}/long.yaml" "${WORK_DIR}/plain.yaml")
