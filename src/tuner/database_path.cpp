// SPDX-License-Identifier: Apache-2.0
#include "tuner/database_path.hpp"

#include "core/tuning_store.hpp"

#include <cstdlib>

namespace fastnorm::tuner {

Result<std::filesystem::path> database_path(const Options& options) {
  std::filesystem::path path =
      options.db.empty() ? user_tuning_path() : std::filesystem::path(options.db);
  if (!path.empty()) return path;
  const char* named = std::getenv("FASTNORM_TUNING_DB");
  if (named != nullptr) {
    if (Status status = check_is_database("FASTNORM_TUNING_DB", named); !status.ok()) {
      return Status(status.code(), status.message() + ", or name another with --db");
    }
  }
  return Status(StatusCode::invalid_argument,
                "no user database is named (FASTNORM_TUNING_DB, XDG_DATA_HOME and HOME say none); "
                "give one with --db");
}

Status check_is_database(std::string_view name, const std::string& path) {
  if (path != no_user_database) return {};
  return {StatusCode::invalid_argument,
          std::string(name) + " " + path +
              " means no database, but this needs one; give a folder " + "or a .yaml file (./" +
              path + " for a folder of that name)"};
}

}  // namespace fastnorm::tuner
