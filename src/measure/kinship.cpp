// SPDX-License-Identifier: Apache-2.0
#include "measure/kinship.hpp"

#include <unistd.h>

#include <fstream>
#include <optional>

namespace fastnorm::measure {
namespace {

std::string proc(int process, const char* file) {
  return "/proc/" + std::to_string(process) + "/" + file;
}

/// The fourth field of "pid (name) state parent ..."; the name may hold blanks and brackets.
std::optional<int> parent_of(int process) {
  std::ifstream file(proc(process, "stat"));
  std::string line;
  if (!std::getline(file, line)) return {};
  const std::size_t name_end = line.rfind(')');
  constexpr std::size_t to_parent = 4;  // ") S "
  if (name_end == std::string::npos || name_end + to_parent >= line.size()) return {};
  return std::atoi(line.c_str() + name_end + to_parent);
}

}  // namespace

Kinship kinship_of(int process) {
  const int self = getpid();
  for (int ancestor = process; ancestor != self;) {
    const std::optional<int> parent = parent_of(ancestor);
    if (!parent) return ancestor == process ? Kinship::unknown : Kinship::other;
    if (*parent <= 0) return Kinship::other;
    ancestor = *parent;
  }
  return Kinship::own;
}

std::string process_name(int process) {
  std::ifstream file(proc(process, "comm"));
  std::string name;
  std::getline(file, name);
  return name;
}

}  // namespace fastnorm::measure
