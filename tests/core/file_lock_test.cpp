// SPDX-License-Identifier: Apache-2.0
#include "core/file_lock.hpp"

#include "core/file_io.hpp"
#include "support/temporary_folder.hpp"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace fastnorm {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

class FileLockTest : public ::testing::Test {
 protected:
  FileDescriptor open_anew() const { return open_file(path_, O_RDWR | O_CREAT); }

  /// Whether another process would get the lock.
  bool free_for_others() const {
    const pid_t child = fork();
    if (child == 0) {
      const FileDescriptor file = open_anew();
      const Result<bool> locked = try_lock(file, path_);
      _exit(locked.ok() && locked.value() ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status == 0;
  }

  TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "file";
};

TEST_F(FileLockTest, OneHolderAtATimeWithinAProcessAndBetweenThem) {
  const FileDescriptor first = open_anew();
  ASSERT_TRUE(try_lock(first, path_).value());
  EXPECT_FALSE(free_for_others());
  const FileDescriptor second = open_anew();
  EXPECT_FALSE(try_lock(second, path_).value());
}

// What the older form of these locks gets wrong.
TEST_F(FileLockTest, AnotherDescriptorOfTheFileMayBeClosed) {
  const FileDescriptor first = open_anew();
  ASSERT_TRUE(try_lock(first, path_).value());
  { const FileDescriptor second = open_anew(); }
  EXPECT_FALSE(free_for_others());
}

TEST_F(FileLockTest, ItEndsWithItsDescriptor) {
  {
    const FileDescriptor file = open_anew();
    ASSERT_TRUE(try_lock(file, path_).value());
  }
  EXPECT_TRUE(free_for_others());
}

TEST_F(FileLockTest, ItEndsWithAKilledProcess) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FileDescriptor file = open_anew();
    const char done = try_lock(file, path_).value() ? '1' : '0';
    if (write(ready[1], &done, 1) != 1) _exit(1);
    for (;;) pause();
  }
  char done = '0';
  ASSERT_EQ(read(ready[0], &done, 1), 1);
  EXPECT_EQ(done, '1');
  EXPECT_FALSE(free_for_others());
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(free_for_others());
  close(ready[0]);
  close(ready[1]);
}

TEST_F(FileLockTest, AFileThatCannotBeLockedIsAnErrorWithItsName) {
  { const FileDescriptor created = open_anew(); }
  const FileDescriptor file = open_file(path_, O_RDONLY);
  const Result<bool> locked = try_lock(file, path_);
  ASSERT_FALSE(locked.ok());
  EXPECT_NE(locked.status().message().find("cannot lock " + path_.string()), std::string::npos)
      << locked.status().message();
}

class LockFile : public ::testing::Test {
 protected:
  LockFile() { umask_ = ::umask(0); }
  ~LockFile() override { ::umask(umask_); }

  static struct stat stat_of(const fs::path& path) {
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
    return info;
  }

  /// The lock file's permissions after somebody has held the lock.
  unsigned permissions() const {
    const Result<FileLock> lock = FileLock::acquire(path_);
    EXPECT_TRUE(lock.ok()) << lock.status().message();
    return stat_of(lock_path_).st_mode & 0777U;
  }

  TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "db.yaml";
  fs::path lock_path_ = folder_.path() / "db.yaml.lock";

 private:
  mode_t umask_;
};

TEST_F(LockFile, IsForWhoeverTheFileIsFor) {
  ASSERT_TRUE(replace_file(path_, "text").ok());
  for (const unsigned rights : {0600U, 0660U, 0640U, 0664U}) {
    fs::permissions(path_, fs::perms(rights));
    EXPECT_EQ(permissions(), rights) << "one that is there already";
    fs::remove(lock_path_);
    ::umask(0);
    EXPECT_EQ(permissions(), rights) << "whatever the umask lets through";
    fs::remove(lock_path_);
    ::umask(0077);
    EXPECT_EQ(permissions(), rights) << "whatever it keeps back";
  }
}

TEST_F(LockFile, StaysWritableForItsOwnerAndIsNoProgram) {
  ASSERT_TRUE(replace_file(path_, "text").ok());
  fs::permissions(path_, fs::perms(0555));
  EXPECT_EQ(permissions(), 0644U);
}

TEST_F(LockFile, OfNoFileHasTheUsualRights) {
  ::umask(0027);
  EXPECT_EQ(permissions(), 0640U);
}

TEST_F(LockFile, AndASuccessorBelongToTheFilesGroup) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give a file to any group";
  constexpr uid_t owner = 4321;
  constexpr gid_t group = 1234;
  ASSERT_TRUE(replace_file(path_, "text").ok());
  ASSERT_EQ(::chown(path_.c_str(), owner, group), 0);
  ASSERT_EQ(::chmod(path_.c_str(), 0660), 0);
  EXPECT_EQ(permissions(), 0660U);
  ASSERT_TRUE(replace_file(path_, "other text").ok());
  for (const fs::path& path : {path_, lock_path_}) {
    EXPECT_EQ(stat_of(path).st_uid, owner) << path;
    EXPECT_EQ(stat_of(path).st_gid, group) << path;
    EXPECT_EQ(stat_of(path).st_mode & 0777U, 0660U) << path;
  }
}

// Somebody else's group must not get what the file's group had.
TEST_F(LockFile, OfAGroupThatCannotBeGivenIsForAllOrForItsOwner) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a file of a group that it then leaves";
  constexpr uid_t nobody = 65534;
  fs::permissions(folder_.path(), fs::perms::all);
  ASSERT_TRUE(replace_file(path_, "text").ok());
  ASSERT_EQ(::chmod(path_.c_str(), 0664), 0);
  const pid_t child = fork();
  if (child == 0) {
    const bool left = setgroups(0, nullptr) == 0 && setgid(nobody) == 0 && setuid(nobody) == 0;
    _exit(left && FileLock::acquire(path_).ok() ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(stat_of(lock_path_).st_mode & 0777U, 0644U);
}

// As one that was made before its file was shared.
TEST_F(LockFile, OfAnotherUserSaysWhoseItIsAndWhatHelps) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be two users";
  constexpr uid_t owner = 4321;
  constexpr uid_t other = 5432;
  constexpr gid_t group = 1234;
  fs::permissions(folder_.path(), fs::perms::all);
  ASSERT_TRUE(replace_file(path_, "text").ok());
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  ASSERT_EQ(::chown(path_.c_str(), owner, owner), 0);
  EXPECT_EQ(permissions(), 0644U);
  ASSERT_EQ(::chown(path_.c_str(), owner, group), 0);
  ASSERT_EQ(::chmod(path_.c_str(), 0664), 0);
  const auto as_other = [&](const auto& action) {
    const pid_t child = fork();
    if (child == 0) {
      const bool is_other = setgroups(1, &group) == 0 && setgid(other) == 0 && setuid(other) == 0;
      if (is_other) action();
      _exit(is_other && !HasFailure() ? 0 : 1);
    }
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  };
  as_other([&] {
    const std::string files = path_.string() + " " + lock_path_.string();
    EXPECT_EQ(FileLock::acquire(path_).status().message(),
              "cannot open " + lock_path_.string() +
                  ": Permission denied; it belongs to user 4321, who can share it: \"chgrp GROUP " +
                  files + "; chmod g+w " + files + "\"");
  });
  ASSERT_EQ(::chown(lock_path_.c_str(), owner, group), 0);
  ASSERT_EQ(::chmod(lock_path_.c_str(), 0664), 0);
  as_other([&] { EXPECT_TRUE(FileLock::acquire(path_).ok()) << "what was said helps"; });
}

TEST_F(LockFile, InAFolderThatMayNotBeWrittenCannotBeCreated) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a folder that it then may not write";
  fs::permissions(folder_.path(), fs::perms(0755));
  const pid_t child = fork();
  if (child == 0) {
    if (setuid(65534) != 0) _exit(1);
    EXPECT_EQ(FileLock::acquire(path_).status().message(),
              "cannot create " + lock_path_.string() + ": Permission denied");
    _exit(HasFailure() ? 1 : 0);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// The rights of what it leads to would be changed.
TEST_F(LockFile, IsNoLink) {
  ASSERT_TRUE(replace_file(path_, "text").ok());
  const fs::path other = folder_.path() / "other";
  ASSERT_TRUE(replace_file(other, "text").ok());
  fs::permissions(other, fs::perms(0600));
  fs::create_symlink(other, lock_path_);
  const Result<FileLock> lock = FileLock::acquire(path_);
  ASSERT_FALSE(lock.ok());
  EXPECT_NE(lock.status().message().find(lock_path_.string()), std::string::npos);
  EXPECT_EQ(stat_of(other).st_mode & 0777U, 0600U);
}

// As on a network file system without locks: some may fail, and say so; no text is a mixture.
TEST(ReplaceFile, WithoutALockNoFileIsAMixture) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "file";
  constexpr std::size_t size = 100000;
  ASSERT_TRUE(replace_file(path, std::string(size, 'x')).ok());
  std::vector<std::thread> writers;
  for (const char letter : {'a', 'b', 'c'}) {
    writers.emplace_back([&path, letter] {
      int replaced = 0;
      for (int round = 0; round < 100; ++round) {
        if (replace_file(path, std::string(size, letter)).ok()) ++replaced;
      }
      EXPECT_GT(replaced, 0) << letter;
    });
  }
  for (int reading = 0; reading < 200; ++reading) {
    const auto text = read_file(path, 2 * size);
    ASSERT_TRUE(text.ok() && text.value()) << text.status().message();
    ASSERT_EQ(text.value()->size(), size);
    ASSERT_EQ(text.value()->find_first_not_of(text.value()->front()), std::string::npos);
  }
  for (std::thread& writer : writers) writer.join();
}

}  // namespace
}  // namespace fastnorm
