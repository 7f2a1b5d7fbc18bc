// SPDX-License-Identifier: Apache-2.0
#include "core/config.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace fastnorm {
namespace {

enum class Walk { forward, backward };
constexpr std::array<std::string_view, 2> enum_names(Walk) { return {"forward", "backward"}; }

struct TiledConfig {
  int threads = 256;
  Walk walk = Walk::forward;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("threads", self.threads);
    visit("walk", self.walk);
  }
};

struct OtherConfig {
  int threads = 256;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("threads", self.threads);
  }
};

std::string refusal(const ConfigFields& fields) {
  const Result<TiledConfig> config = from_fields<TiledConfig>(fields);
  EXPECT_FALSE(config.ok());
  EXPECT_EQ(config.status().code(), StatusCode::invalid_argument);
  return config.status().message();
}

TEST(Config, PrintsItsFieldsInOrder) {
  EXPECT_EQ(Config::of(TiledConfig{128, Walk::backward}).text(), "threads=128,walk=backward");
}

TEST(Config, TextRoundTrips) {
  const Config config = Config::of(TiledConfig{512, Walk::backward});
  const Result<ConfigFields> fields = parse_config_text(config.text());
  ASSERT_TRUE(fields.ok());
  const Result<TiledConfig> parsed = from_fields<TiledConfig>(fields.value());
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(Config::of(parsed.value()), config);
}

TEST(Config, FieldsMayComeInAnyOrder) {
  const Result<TiledConfig> parsed =
      from_fields<TiledConfig>({{"walk", "backward"}, {"threads", "64"}});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value().threads, 64);
  EXPECT_EQ(parsed.value().walk, Walk::backward);
}

TEST(Config, GetsTheAggregateOfItsOwnTypeOnly) {
  const Config config = Config::of(TiledConfig{});
  ASSERT_NE(config.get<TiledConfig>(), nullptr);
  EXPECT_EQ(config.get<TiledConfig>()->threads, 256);
  EXPECT_EQ(config.get<OtherConfig>(), nullptr);
  EXPECT_EQ(Config().get<TiledConfig>(), nullptr);
  EXPECT_FALSE(Config().has_value());
}

TEST(Config, ComparesByValue) {
  EXPECT_EQ(Config::of(TiledConfig{}), Config::of(TiledConfig{}));
  EXPECT_NE(Config::of(TiledConfig{}), Config::of(TiledConfig{64, Walk::forward}));
  EXPECT_EQ(Config(), Config());
}

TEST(Config, RefusesWhatItDoesNotFullyUnderstand) {
  EXPECT_EQ(
      refusal({{"threads", "64"}}),
      "config field walk is missing in \"threads=64\"; the strategy's fields are threads, walk");
  EXPECT_EQ(refusal({{"tile", "3"}}),
            "config field tile is unknown in \"tile=3\"; the strategy's fields are threads, walk");
  EXPECT_NE(refusal({{"threads", "64"}, {"threads", "64"}, {"walk", "forward"}})
                .find("threads is repeated"),
            std::string::npos);
  EXPECT_NE(
      refusal({{"threads", "64"}, {"walk", "forward"}, {"tile", "3"}}).find("tile is unknown"),
      std::string::npos);
  for (const char* value : {"", "64x", " 64", "6.5", "99999999999999", "0x40"}) {
    EXPECT_EQ(refusal({{"threads", value}, {"walk", "forward"}}),
              "config field threads=" + std::string(value) + " must be an integer");
  }
  EXPECT_EQ(refusal({{"threads", "64"}, {"walk", "sideways"}}),
            "config field walk=sideways must be one of forward, backward");
}

TEST(ConfigText, RefusesPiecesThatAreNoAssignment) {
  for (const char* text :
       {"threads", "=64", "threads=", "threads=64,,walk=forward", "threads=64,walk=forward,"}) {
    const Result<ConfigFields> fields = parse_config_text(text);
    ASSERT_FALSE(fields.ok()) << text;
    EXPECT_EQ(fields.status().code(), StatusCode::invalid_argument);
  }
}

TEST(ConfigText, EmptyTextHasNoFields) {
  const Result<ConfigFields> fields = parse_config_text("");
  ASSERT_TRUE(fields.ok());
  EXPECT_TRUE(fields.value().empty());
}

}  // namespace
}  // namespace fastnorm
