// SPDX-License-Identifier: Apache-2.0
/// --db for the commands that read, and for what a run reads.
#pragma once

#include "core/tuning_store.hpp"

#include <fastnorm/status.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace fastnorm::tuner {

/// Makes the library itself read `db` as the user's database, so that what it would choose is what
/// the program shows. Nothing for an empty path.
inline void use_database(const std::string& db) {
  if (db.empty()) return;
  setenv("FASTNORM_TUNING_DB", db.c_str(), 1);
  forget_tuning_db();
}

/// The same for a command that only reads: a path that leads nowhere is a mistake then. Error:
/// unavailable.
inline Status use_existing_database(const std::string& db) {
  std::error_code error;
  if (!db.empty() && db != no_user_database && !std::filesystem::exists(db, error)) {
    return {StatusCode::unavailable,
            "--db " + db + ": " + (error ? error.message() : "there is no such file or folder")};
  }
  use_database(db);
  return {};
}

}  // namespace fastnorm::tuner
