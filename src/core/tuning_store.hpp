// SPDX-License-Identifier: Apache-2.0
/// Where tuning files live: the user's database, the shipped one, and how they are read and
/// written.
#pragma once

#include "core/tuning_db.hpp"

#include <fastnorm/status.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace fastnorm {

/// The database that calls use: the user's files, then the shipped ones. Read at the first call; a
/// bad file costs one warning. Safe from any thread.
std::shared_ptr<const TuningDb> current_tuning_db();

/// Reads the files again at the next call (a tuner or a test has written some).
void forget_tuning_db();

/// What stands in a path's place where there is to be no user database. A folder of that name is
/// ./none.
inline constexpr std::string_view no_user_database = "none";

/// $FASTNORM_TUNING_DB, else $XDG_DATA_HOME/fastnorm/tuning_db, else
/// ~/.local/share/fastnorm/tuning_db. A path that is_tuning_file() is one file, anything else a
/// folder of them. Empty for no_user_database.
std::filesystem::path user_tuning_path();

/// Whether a path is one file by its name, which ends in .yaml or .yml, there or not.
bool is_tuning_file(const std::filesystem::path& path);

/// The shipped files as they are compiled into the library: (file name, text).
struct ShippedTuningFile {
  const char* name;
  const char* text;
};
const std::vector<ShippedTuningFile>& shipped_tuning_files();

/// Every readable file of a folder, or the one file; what is unreadable costs one warning in the
/// log each.
std::vector<TuningFile> read_tuning_path(const std::filesystem::path& path);

/// The files of a folder, each is_tuning_file(), by name, so that their order is the same
/// everywhere.
std::vector<std::filesystem::path> tuning_files_in(const std::filesystem::path& folder,
                                                   std::error_code& error);

/// Whoever reads or writes a database reads no more of a file: some 40,000 entries. The YAML parser
/// needs up to 250 times a hostile file's size.
inline constexpr std::size_t most_tuning_file_bytes = std::size_t{16} << 20;

/// Whose results a file holds; nothing of one that is not there or does not parse, which is put
/// aside by whoever writes.
std::optional<DeviceKey> device_of(const std::filesystem::path& path);

/// Those of a folder that hold a device's results, in the order in which a lookup prefers them.
std::vector<std::filesystem::path> tuning_files_of(const std::filesystem::path& folder,
                                                   const DeviceKey& device);

/// The file within `path` (a folder, or itself a file) that a device's results go into: in a folder
/// the one of its results that a lookup prefers, so that none is there before them; where there is
/// none yet, its name in lower case with dashes, "nvidia-h200.yaml".
std::filesystem::path tuning_file_for(const std::filesystem::path& path, const DeviceInfo& device);

/// What is to become of a file's entries.
using TuningEdit = std::function<std::vector<TuningEntry>(std::vector<TuningEntry>)>;

/// Edits the entries of the file at `path`: under a lock, read again, written beside it, fsync,
/// rename. What else the file says becomes that of `header`; entries that the edit leaves alone
/// keep their provenance. No file is one without entries; creates folders. A file there that does
/// not parse, or not all of it, is kept under the name *.bad and reported in the log. Errors:
/// invalid_argument (an empty path, a header that would not be read back whole, a file of another
/// device), unavailable (the system's reason, with the path); the old file is then as it was.
Status edit_tuning_file(const std::filesystem::path& path, const TuningFile& header,
                        const TuningEdit& edit);

/// The same, with the update's entries put in the place of those of the same key and shape. Whether
/// results repeat makes no other key here: a winner whose results do not, and what was stored
/// beside it, give way together.
Status merge_into_file(const std::filesystem::path& path, const TuningFile& update);

/// The same with those of the entries alone for whose calls the file has none.
Status restore_into_file(const std::filesystem::path& path, const TuningFile& lost);

/// Whether a file that is there could be edited now; it is not touched. Errors: unavailable (the
/// system's reason, with the path).
Status check_editable(const std::filesystem::path& path);

}  // namespace fastnorm
