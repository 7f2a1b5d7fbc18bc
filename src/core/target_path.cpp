// SPDX-License-Identifier: Apache-2.0
#include "core/target_path.hpp"

#include <system_error>

namespace fastnorm {

Result<std::filesystem::path> prepare_target(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path full = std::filesystem::absolute(path, error);
  if (!error) std::filesystem::create_directories(full.parent_path(), error);
  if (!error) full = std::filesystem::weakly_canonical(full, error);
  if (!error) return full;
  return Status(StatusCode::unavailable,
                "cannot create the folder of " + path.string() + ": " + error.message());
}

}  // namespace fastnorm
