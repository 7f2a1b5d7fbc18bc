// SPDX-License-Identifier: Apache-2.0
// F17: a database that a cut-off or foreign write has spoilt. It costs one warning, and calls run
// as without it. (Who writes at the same time, and who is killed, is the store's test, under this
// id.)
#include "core/tuning_yaml.hpp"
#include "user_database.hpp"

namespace fastnorm::test {
namespace {

class F17BadFiles : public UserDatabaseTest {
 protected:
  std::string good() const {
    return to_yaml(file_with(std::string(some_variant().name()), default_fields()));
  }

  /// How many warnings there are.
  std::size_t warnings_with(const std::string& text, Origin expected) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(origin_with(text), expected);
    const std::string log = testing::internal::GetCapturedStderr();
    const std::string warning = "fastnorm: warning: ";
    std::size_t count = 0;
    for (std::size_t at = log.find(warning); at != std::string::npos; ++count) {
      at = log.find(warning, at + 1);
    }
    return count;
  }
};

TEST_F(F17BadFiles, AGoodOneIsTakenWithoutAWarning) {
  EXPECT_EQ(warnings_with(good(), Origin::exact), 0U);
}

TEST_F(F17BadFiles, Empty) { EXPECT_EQ(warnings_with("", Origin::heuristic), 1U); }

TEST_F(F17BadFiles, Truncated) {
  const std::string text = good();
  const std::size_t entries = text.find("entries:");
  ASSERT_NE(entries, std::string::npos);
  // In the head, behind it, and at the last places where the entry is not whole.
  for (const std::size_t length :
       {std::size_t{1}, entries / 2, entries, (entries + text.size()) / 2, text.size() - 10,
        text.size() - 2}) {
    EXPECT_EQ(warnings_with(text.substr(0, length), Origin::heuristic), 1U)
        << text.substr(0, length);
  }
}

TEST_F(F17BadFiles, Binary) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>(i * 7 % 256);
  EXPECT_EQ(warnings_with(bytes, Origin::heuristic), 1U);
  EXPECT_EQ(warnings_with(std::string(4096, '\0'), Origin::heuristic), 1U)
      << "blocks that a crash has left unwritten";
}

TEST_F(F17BadFiles, NotUtf8) {
  std::string text = good();
  text.insert(text.find("entries:"), "# \xE9t\xE9\n");
  EXPECT_EQ(warnings_with(text, Origin::heuristic), 1U);
}

}  // namespace
}  // namespace fastnorm::test
