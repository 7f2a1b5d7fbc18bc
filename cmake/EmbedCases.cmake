# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=<cpp> -DFILE=<yaml> -P EmbedCases.cmake
# Writes a C++ file that holds the text of the shipped cases.
include("${CMAKE_CURRENT_LIST_DIR}/FastnormTextLiteral.cmake")
fastnorm_text_literal("${FILE}" literals)
file(WRITE "${OUTPUT}" "// Generated from cases/.
#include \"measure/shipped_cases.hpp\"

namespace fastnorm::measure {

std::string_view shipped_cases_text() {
  return
${literals}      ;
}

}  // namespace fastnorm::measure
")
