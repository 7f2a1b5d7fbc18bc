// SPDX-License-Identifier: Apache-2.0
#include "tuner/database_file.hpp"

#include "core/file_io.hpp"
#include "core/tuning_store.hpp"

#include <optional>
#include <system_error>
#include <utility>

namespace fastnorm::tuner {
namespace {

namespace fs = std::filesystem;

Status no_such_file(const fs::path& path) {
  std::error_code error;
  const fs::path link = fs::read_symlink(path, error);
  if (error) return {StatusCode::unavailable, path.string() + ": there is no such file"};
  return {StatusCode::unavailable, path.string() + " is a link to " + link.string() +
                                       ", which is not there; remove the link or correct it"};
}

}  // namespace

Result<std::string> read_database_file(const fs::path& path) {
  Result<std::optional<std::string>> text = read_file(path, most_tuning_file_bytes);
  if (!text.ok()) return text.status();
  if (!text.value()) return no_such_file(path);
  return *std::move(text).value();
}

}  // namespace fastnorm::tuner
