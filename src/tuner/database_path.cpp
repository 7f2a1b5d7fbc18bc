// SPDX-License-Identifier: Apache-2.0
#include "tuner/database_path.hpp"

#include "core/tuning_store.hpp"

namespace fastnorm::tuner {

Result<std::filesystem::path> database_path(const Options& options) {
  std::filesystem::path path =
      options.db.empty() ? user_tuning_path() : std::filesystem::path(options.db);
  if (!path.empty()) return path;
  return Status(StatusCode::invalid_argument,
                "no user database is named (FASTNORM_TUNING_DB, XDG_DATA_HOME and HOME say none); "
                "give one with --db");
}

Status check_database_is_one(const Options& options) {
  if (options.db != no_user_database) return {};
  return {StatusCode::invalid_argument,
          "--db " + options.db + " means no database, but a run writes one; give a folder or a " +
              ".yaml file (./" + options.db + " for a folder of that name)"};
}

}  // namespace fastnorm::tuner
