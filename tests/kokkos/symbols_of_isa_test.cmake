# SPDX-License-Identifier: Apache-2.0
# cmake -DNM=<nm> -DOBJECTS=<objects of the back end> -DISA=<namespace> -P symbols_of_isa_test.cmake
#
# The linker keeps one of several functions of a name. All that the loops of an instruction set define for others to
# see must bear its name, or code for a newer processor might serve an older one.
set(object "${OBJECTS}")
list(FILTER object INCLUDE REGEX "host_loops_${ISA}\\.cpp")
list(LENGTH object count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "One object of the loops for ${ISA} was expected: ${object}")
endif()
execute_process(COMMAND "${NM}" --defined-only --extern-only "${object}"
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
set(own "${symbols}")
list(FILTER own INCLUDE REGEX "${ISA}")
if(own STREQUAL "")
  message(FATAL_ERROR "${object} defines nothing of ${ISA}.")
endif()
set(foreign "${symbols}")
list(FILTER foreign EXCLUDE REGEX "${ISA}")
# The sanitizers' own, which each object brings along.
list(FILTER foreign EXCLUDE REGEX " (__odr_asan|_ZGV|__asan|__ubsan|DW\\.ref)")
if(NOT foreign STREQUAL "")
  list(JOIN foreign "\n" foreign)
  message(FATAL_ERROR "${object} defines for all:\n${foreign}")
endif()
