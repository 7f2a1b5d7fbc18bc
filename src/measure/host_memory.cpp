// SPDX-License-Identifier: Apache-2.0
#include "measure/host_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace fastnorm::measure {
namespace {

/// The number after `name` in a file of "name value" lines.
std::optional<std::int64_t> read_field(const char* path, const std::string& name) {
  std::ifstream file(path);
  std::string key;
  while (file >> key) {
    std::int64_t value = 0;
    if (key == name && file >> value) return value;
    file.clear();
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

/// A file that holds one number; none for "max".
std::optional<std::int64_t> read_number(const char* path) {
  std::ifstream file(path);
  std::int64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

}  // namespace

std::int64_t available_host_bytes() {
  std::int64_t available = std::numeric_limits<std::int64_t>::max();
  if (const auto kib = read_field("/proc/meminfo", "MemAvailable:")) available = *kib * 1024;
  const auto limit = read_number("/sys/fs/cgroup/memory.max");
  const auto used = read_number("/sys/fs/cgroup/memory.current");
  if (limit && used) {
    // The page cache counts as used, but gives way.
    const auto cache = read_field("/sys/fs/cgroup/memory.stat", "inactive_file").value_or(0);
    available = std::min(available, std::max<std::int64_t>(0, *limit - *used + cache));
  }
  return available;
}

}  // namespace fastnorm::measure
