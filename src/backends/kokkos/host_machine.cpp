// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/host_machine.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

namespace fastnorm::kokkos {
namespace {

/// "32768K", as sysfs writes sizes.
std::int64_t parse_size(const std::string& text) {
  std::int64_t size = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      size = size * 10 + (c - '0');
    } else {
      return c == 'K' ? size << 10 : c == 'M' ? size << 20 : size;
    }
  }
  return size;
}

template <class T>
T first_word(const std::string& path) {
  T word{};
  std::ifstream(path) >> word;
  return word;
}

}  // namespace

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.compare(0, 10, "model name") != 0) continue;
    const std::size_t colon = line.find(':');
    const std::size_t start =
        colon == std::string::npos ? colon : line.find_first_not_of(' ', colon + 1);
    if (start != std::string::npos) return line.substr(start);
  }
  return "unknown CPU";
}

std::int64_t last_level_cache_bytes() {
  std::int64_t bytes = 0;
  int last_level = 0;
  for (int index = 0;; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const int level = first_word<int>(folder + "level");
    if (level == 0) return bytes;
    if (level > last_level && first_word<std::string>(folder + "type") != "Instruction") {
      last_level = level;
      bytes = parse_size(first_word<std::string>(folder + "size"));
    }
  }
}

std::int64_t memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_size > 0 ? std::int64_t{pages} * page_size : 0;
}

}  // namespace fastnorm::kokkos
