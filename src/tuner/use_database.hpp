/// --db for the commands that read, and for what a run reads.
#pragma once

#include "core/tuning_store.hpp"

#include <cstdlib>
#include <string>

namespace fastnorm::tuner {

/// Makes the library itself read `db` as the user's database, so that what it would choose is what
/// the program shows. Nothing for an empty path.
inline void use_database(const std::string& db) {
  if (db.empty()) return;
  setenv("FASTNORM_TUNING_DB", db.c_str(), 1);
  forget_tuning_db();
}

}  // namespace fastnorm::tuner
