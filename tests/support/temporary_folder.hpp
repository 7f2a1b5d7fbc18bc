// SPDX-License-Identifier: Apache-2.0
/// A new empty folder that goes with its scope.
#pragma once

#include <filesystem>

namespace fastnorm::test {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace fastnorm::test
