#include "core/file_io.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace fastnorm {
namespace {

std::filesystem::path with_suffix(std::filesystem::path path, const char* suffix) {
  return path += suffix;
}

/// To be called before anything can change errno.
Status system_error(const char* action, const std::filesystem::path& path) {
  const int error = errno;
  return Status(StatusCode::unavailable, "cannot " + std::string(action) + " " + path.string() +
                                             ": " + std::generic_category().message(error));
}

FileDescriptor open_file(const std::filesystem::path& path, int flags) {
  constexpr mode_t readable_by_all = 0666;  // less the umask
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, readable_by_all);
  } while (fd < 0 && errno == EINTR);
  return FileDescriptor(fd);
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
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

}  // namespace

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileDescriptor::~FileDescriptor() { close(); }

bool FileDescriptor::close() noexcept { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

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
  TemporaryFile temporary(with_suffix(path, ".tmp"));
  ::unlink(temporary.path().c_str());  // what a killed process has left
  FileDescriptor file = open_file(temporary.path(), O_WRONLY | O_CREAT | O_EXCL);
  if (!file.is_open()) return system_error("create", temporary.path());
  if (!write_all(file.get(), text)) return system_error("write", temporary.path());
  if (::fsync(file.get()) != 0) return system_error("sync", temporary.path());
  if (!file.close()) return system_error("close", temporary.path());
  if (!temporary.rename_to(path)) return system_error("replace", path);
  if (!sync_folder(path.parent_path())) return system_error("sync the folder of", path);
  return {};
}

Result<FileLock> FileLock::acquire(const std::filesystem::path& path) {
  const std::filesystem::path lock_path = with_suffix(path, ".lock");
  FileDescriptor file = open_file(lock_path, O_RDWR | O_CREAT);
  if (!file.is_open()) return system_error("create", lock_path);
  while (::flock(file.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return system_error("lock", lock_path);
  }
  return FileLock(std::move(file));
}

}  // namespace fastnorm
