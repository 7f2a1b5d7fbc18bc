// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/host_machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
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

/// The CPUs of a list like "0-3,8", of which there are some.
int count_cpus(const std::string& list) {
  int cpus = 0;
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    int first = 0;
    int last = 0;
    const int numbers = std::sscanf(range.c_str(), "%d-%d", &first, &last);
    cpus += numbers == 2 ? last - first + 1 : 1;
  }
  return std::max(cpus, 1);
}

constexpr const char* cpu_folder = "/sys/devices/system/cpu/cpu0/";

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

Caches host_caches() {
  Caches caches;
  const int threads_of_core = count_cpus(
      first_word<std::string>(std::string(cpu_folder) + "topology/thread_siblings_list"));
  int last_level = 0;
  for (int index = 0;; ++index) {
    const std::string folder =
        std::string(cpu_folder) + "cache/index" + std::to_string(index) + "/";
    const int level = first_word<int>(folder + "level");
    if (level == 0) return caches;
    if (level <= last_level || first_word<std::string>(folder + "type") == "Instruction") continue;
    last_level = level;
    caches.last_level_bytes = parse_size(first_word<std::string>(folder + "size"));
    const int sharers = count_cpus(first_word<std::string>(folder + "shared_cpu_list"));
    if (sharers <= threads_of_core) caches.private_bytes = caches.last_level_bytes / sharers;
  }
}

std::int64_t memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_size > 0 ? std::int64_t{pages} * page_size : 0;
}

}  // namespace fastnorm::kokkos
