// SPDX-License-Identifier: Apache-2.0
#include "core/name_aside.hpp"

#include <string>
#include <system_error>

namespace fastnorm {

std::filesystem::path free_name_aside(const std::filesystem::path& path, std::string_view ending) {
  const auto name = [&](const std::string& number) {
    std::filesystem::path aside = path;
    return aside.concat(number + ".").concat(ending);
  };
  std::filesystem::path free = name("");
  std::error_code ignored;
  for (int i = 2; std::filesystem::exists(std::filesystem::symlink_status(free, ignored)); ++i) {
    free = name("." + std::to_string(i));
  }
  return free;
}

}  // namespace fastnorm
