// SPDX-License-Identifier: Apache-2.0
#include "core/companion_file.hpp"

#include "core/file_rights.hpp"
#include "core/shell_word.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

namespace fastnorm {
namespace {

/// Whoever may write the principal must be able to write the companion; so must its owner, who may
/// do anything.
FileRights companion_rights(FileRights rights) noexcept {
  constexpr mode_t no_program = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
  rights.permissions = (rights.permissions & no_program) | S_IRUSR | S_IWUSR;
  return rights;
}

std::string user_name(uid_t user) {
  std::array<char, 4096> strings{};
  passwd entry{};
  passwd* found = nullptr;
  const bool known = ::getpwuid_r(user, &entry, strings.data(), strings.size(), &found) == 0;
  return known && found != nullptr ? found->pw_name : "user " + std::to_string(user);
}

/// What helps where another user's file may not be opened; empty where it is something else.
std::string how_to_share(const std::filesystem::path& path,
                         const std::filesystem::path& principal) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || info.st_uid == ::geteuid()) return {};
  std::error_code ignored;
  std::string files = shell_word(path.string());
  if (std::filesystem::exists(principal, ignored)) {
    // Typed in another folder, perhaps.
    files = shell_word(std::filesystem::absolute(principal, ignored).string()) + " " + files;
  }
  return "; it belongs to " + user_name(info.st_uid) + ", who can share it: \"chgrp GROUP " +
         files + "; chmod g+w " + files + "\"";
}

}  // namespace

Result<FileDescriptor> open_companion(const std::filesystem::path& path,
                                      const std::filesystem::path& principal, int flags) {
  flags |= O_RDWR | O_NOFOLLOW;
  FileDescriptor file = open_file(path, flags);
  if (!file.is_open() && errno == ENOENT) {
    file = open_file(path, flags | O_CREAT);
    if (!file.is_open()) return system_error("create", path);
  }
  if (!file.is_open()) {
    const bool is_refused = errno == EACCES;
    const Status failed = system_error("open", path);
    if (!is_refused) return failed;
    return Status(failed.code(), failed.message() + how_to_share(path, principal));
  }
  if (const auto rights = rights_of(principal)) give_rights(file, companion_rights(*rights));
  return file;
}

}  // namespace fastnorm
