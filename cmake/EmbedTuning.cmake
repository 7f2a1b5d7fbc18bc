# cmake -DOUTPUT=<cpp> -DFILES=<a;b> -P EmbedTuning.cmake
# Writes a C++ file that holds the text of each file. Text goes in as raw strings of at most 8 KB, which
# the compiler joins (the standard promises no more than 64 KB a literal).
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  set(literals "")
  string(LENGTH "${text}" length)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND literals "R\"yaml(${piece})yaml\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  string(APPEND entries "      {\"${name}\",\n${literals}},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from tuning_db/.
#include \"core/tuning_store.hpp\"

namespace fastnorm {

const std::vector<ShippedTuningFile>& shipped_tuning_files() {
  static const std::vector<ShippedTuningFile> files = {
${entries}  };
  return files;
}

}  // namespace fastnorm
")
