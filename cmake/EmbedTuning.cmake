# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=<cpp> -DFILES=<a;b> -P EmbedTuning.cmake
# Writes a C++ file that holds the text of each file.
include("${CMAKE_CURRENT_LIST_DIR}/FastnormTextLiteral.cmake")
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  fastnorm_text_literal("${file}" literals)
  string(APPEND entries "      {\"${name}\",\n${literals}},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from tuning_db/.
#include \"core/tuning_store.hpp\"

namespace fastnorm {

const std::vector<ShippedTuningFile>& shipped_tuning_files() {
  static const auto& files = *new std::vector<ShippedTuningFile>{
${entries}  };
  return files;
}

}  // namespace fastnorm
")
