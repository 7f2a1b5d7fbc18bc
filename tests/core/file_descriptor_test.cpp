// SPDX-License-Identifier: Apache-2.0
#include "core/file_descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>

namespace fastnorm {
namespace {

// What the program prints would end up in the file.
TEST(FileDescriptor, NoFileIsOpenedAsAStandardStreamThatIsClosed) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(stream);
    const FileDescriptor file = open_file("/dev/null", O_WRONLY);
    if (file.get() <= STDERR_FILENO) _exit(1);
    if ((fcntl(file.get(), F_GETFD) & FD_CLOEXEC) == 0) _exit(2);
    _exit(fcntl(STDIN_FILENO, F_GETFD) < 0 ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace fastnorm
