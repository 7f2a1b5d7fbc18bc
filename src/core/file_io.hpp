// SPDX-License-Identifier: Apache-2.0
/// Whole files: read without surprises, replaced as a whole or not at all.
#pragma once

#include <fastnorm/status.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace fastnorm {

/// The content of a regular file, or nothing where there is no file. Anything else (a folder, a
/// pipe, which might never end) and a file of more than `max_bytes` are errors. Errors:
/// unavailable, naming the path and the system's reason.
Result<std::optional<std::string>> read_file(const std::filesystem::path& path,
                                             std::size_t max_bytes);

/// Replaces the file by `text`: readers and a crash at any moment see the old content or the new
/// one. For the holder of the path's FileLock, who also sweeps up what killed ones have left. The
/// text goes to a file beside it first, "PATH.<16 random digits>.tmp": where a network file
/// system was mounted without locks between machines, two may replace the file at once, and one
/// gets its way or an error, but the file is never a mixture. A file that may not be written is
/// left alone, though its folder would allow it. The new one has the group and the permissions of
/// the old one.
Status replace_file(const std::filesystem::path& path, std::string_view text);

/// Whether replace_file() could do that now, room on the disk included: does all of it but the last
/// step, so that the file is not touched.
Status check_replaceable(const std::filesystem::path& path, std::string_view text);

}  // namespace fastnorm
