// SPDX-License-Identifier: Apache-2.0
#include "core/name_aside.hpp"

#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace fastnorm {
namespace {

TEST(NameAside, NamesNothingThatIsThere) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "db.yaml";
  EXPECT_EQ(free_name_aside(path, "bad"), folder.path() / "db.yaml.bad");
  std::ofstream(folder.path() / "db.yaml.bad") << "first";
  EXPECT_EQ(free_name_aside(path, "bad"), folder.path() / "db.yaml.2.bad");
  std::filesystem::create_symlink("nothing", folder.path() / "db.yaml.2.bad");
  EXPECT_EQ(free_name_aside(path, "bad"), folder.path() / "db.yaml.3.bad");
  EXPECT_EQ(free_name_aside(path, "old"), folder.path() / "db.yaml.old");
}

}  // namespace
}  // namespace fastnorm
