// SPDX-License-Identifier: Apache-2.0
#include "core/file_lock.hpp"

#include "core/file_io.hpp"
#include "support/temporary_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
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
