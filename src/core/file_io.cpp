// SPDX-License-Identifier: Apache-2.0
#include "core/file_io.hpp"

#include "core/file_descriptor.hpp"
#include "core/file_rights.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <string>
#include <system_error>
#include <utility>

namespace fastnorm {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::size_t random_digits = 16;
constexpr std::string_view temporary_end = ".tmp";

/// Beside `path`, and nobody else's on any machine.
std::filesystem::path temporary_path(const std::filesystem::path& path) {
  std::random_device random;
  std::uniform_int_distribution<std::size_t> digit(0, hex_digits.size() - 1);
  std::string suffix = ".";
  for (std::size_t i = 0; i < random_digits; ++i) suffix += hex_digits[digit(random)];
  std::filesystem::path temporary = path;
  return temporary += suffix.append(temporary_end);
}

/// Whether temporary_path() may have given `name` for a file of the name `target`.
bool is_temporary(std::string_view name, std::string_view target) {
  if (name.size() != target.size() + 1 + random_digits + temporary_end.size()) return false;
  const std::string_view digits = name.substr(target.size() + 1, random_digits);
  return name.substr(0, target.size()) == target && name[target.size()] == '.' &&
         digits.find_first_not_of(hex_digits) == std::string_view::npos &&
         name.substr(name.size() - temporary_end.size()) == temporary_end;
}

/// What killed processes have left beside `path`. What cannot be removed is in nobody's way.
void remove_leftovers(const std::filesystem::path& path) {
  const std::string target = path.filename().string();
  std::error_code ignored;
  std::filesystem::directory_iterator entry(path.parent_path(), ignored);
  for (; !ignored && entry != std::filesystem::directory_iterator(); entry.increment(ignored)) {
    if (is_temporary(entry->path().filename().string(), target)) ::unlink(entry->path().c_str());
  }
}

/// Whether a file is there that may not be written.
bool is_write_protected(const std::filesystem::path& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0 && errno != ENOENT;
}

/// Makes a rename last. Some file systems cannot sync folders, and say so.
bool sync_folder(const std::filesystem::path& folder) {
  const FileDescriptor opened = open_file(folder, O_RDONLY | O_DIRECTORY);
  if (!opened.is_open()) return false;
  return ::fsync(opened.get()) == 0 || errno == EINVAL || errno == ENOTSUP;
}

/// A file that goes with its scope unless it is renamed first.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~TemporaryFile() {
    if (!renamed_) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  bool rename_to(const std::filesystem::path& target) {
    renamed_ = ::rename(path_.c_str(), target.c_str()) == 0;
    return renamed_;
  }

 private:
  std::filesystem::path path_;
  bool renamed_ = false;
};

/// All of the text in the file that is to take the place of the one at `path`.
Status write_successor(const std::filesystem::path& path, const TemporaryFile& successor,
                       std::string_view text) {
  if (is_write_protected(path)) return system_error("write", path);
  remove_leftovers(path);
  FileDescriptor file = open_file(successor.path(), O_WRONLY | O_CREAT | O_EXCL);
  if (!file.is_open()) return system_error("create a file beside", path);
  // Whoever may read and write a file may do so with the one in its place.
  if (const auto rights = rights_of(path)) give_rights(file, *rights);
  if (!write_all(file, text)) return system_error("write", path);
  if (::fsync(file.get()) != 0) return system_error("sync", path);
  if (!file.close()) return system_error("close", path);
  return {};
}

}  // namespace

Result<std::optional<std::string>> read_file(const std::filesystem::path& path,
                                             std::size_t max_bytes) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const FileDescriptor file = open_file(path, O_RDONLY | O_NONBLOCK);
  if (!file.is_open()) {
    if (errno == ENOENT) return std::optional<std::string>();
    return system_error("open", path);
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return system_error("inspect", path);
  if (!S_ISREG(info.st_mode)) {
    return Status(StatusCode::unavailable, "cannot read " + path.string() + ": not a regular file");
  }

  // The file may grow meanwhile, so its size is a hint only.
  std::string text;
  text.resize(std::min(static_cast<std::size_t>(info.st_size), max_bytes) + 1);
  std::size_t filled = 0;
  while (filled <= max_bytes) {
    if (filled == text.size()) text.resize(std::min(2 * filled, max_bytes + 1));
    const ssize_t count = ::read(file.get(), text.data() + filled, text.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("read", path);
    if (count == 0) {
      text.resize(filled);
      return std::optional<std::string>(std::move(text));
    }
    filled += static_cast<std::size_t>(count);
  }
  return Status(StatusCode::unavailable, "cannot read " + path.string() + ": larger than " +
                                             std::to_string(max_bytes >> 20U) + " MiB");
}

Status replace_file(const std::filesystem::path& path, std::string_view text) {
  TemporaryFile temporary(temporary_path(path));
  if (Status status = write_successor(path, temporary, text); !status.ok()) return status;
  if (!temporary.rename_to(path)) return system_error("replace", path);
  if (!sync_folder(path.parent_path())) return system_error("sync the folder of", path);
  return {};
}

Status check_replaceable(const std::filesystem::path& path, std::string_view text) {
  const TemporaryFile temporary(temporary_path(path));
  return write_successor(path, temporary, text);
}

}  // namespace fastnorm
