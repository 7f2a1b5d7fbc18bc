// SPDX-License-Identifier: Apache-2.0
#include "tuner/recording_target.hpp"

#include "core/file_descriptor.hpp"
#include "core/file_io.hpp"
#include "core/target_path.hpp"
#include "core/tuning_store.hpp"
#include "tuner/recording.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string>
#include <system_error>

namespace fastnorm::tuner {
namespace {

namespace fs = std::filesystem;

std::string named(const fs::path& path) { return "--record is " + path.string(); }

Status refused(const fs::path& path, const std::string& why) {
  return {StatusCode::invalid_argument,
          named(path) + ", " + why + "; it must be a new file or an earlier recording"};
}

Status failed(const fs::path& path, const Status& why) {
  return {why.code(), named(path) + ": " + why.message()};
}

/// Whether the regular file there begins as a recording.
Result<bool> is_recording(const fs::path& path) {
  const FileDescriptor file = open_file(path, O_RDONLY | O_NONBLOCK);
  if (!file.is_open()) return system_error("open", path);
  std::array<char, 64> beginning;
  const ssize_t count = ::read(file.get(), beginning.data(), beginning.size());
  if (count < 0) return system_error("read", path);
  return begins_recording({beginning.data(), static_cast<std::size_t>(count)});
}

/// Nothing of what is there may be lost.
Status check_what_is_there(const fs::path& path, const fs::path& target) {
  std::error_code error;
  const fs::file_status there = fs::status(target, error);
  if (there.type() == fs::file_type::not_found) return {};
  if (error) return {StatusCode::unavailable, named(path) + ": " + error.message()};
  if (!fs::is_regular_file(there)) return refused(path, "which is no regular file");
  const Result<bool> recording = is_recording(target);
  if (!recording.ok()) return failed(path, recording.status());
  return recording.value() ? Status() : refused(path, "which is there and no recording");
}

/// The file itself, if it may be written.
Result<fs::path> recording_target(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(fs::absolute(path).parent_path(), error)) {
    return Status(StatusCode::invalid_argument, named(path) + ", whose folder is not there");
  }
  Result<fs::path> target = prepare_target(path);
  if (!target.ok()) return failed(path, target.status());
  Status there = check_what_is_there(path, target.value());
  if (!there.ok()) return there;
  // The run's own database may not be there yet, and a folder's .yaml files are all read as such.
  if (is_tuning_file(target.value())) {
    return refused(path, "which is a database's name (.yaml, .yml)");
  }
  return target;
}

}  // namespace

Status check_recording_target(const fs::path& path) {
  const Result<fs::path> target = recording_target(path);
  if (!target.ok()) return target.status();
  const Status writable = check_replaceable(target.value(), "");
  return writable.ok() ? Status() : failed(path, writable);
}

Status replace_recording(const fs::path& path, std::string_view text) {
  const Result<fs::path> target = recording_target(path);
  if (!target.ok()) return target.status();
  return replace_file(target.value(), text);
}

}  // namespace fastnorm::tuner
