// SPDX-License-Identifier: Apache-2.0
#include "tuner/json_writer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace fastnorm::tuner {
namespace {

TEST(JsonWriter, ObjectsAndArrays) {
  JsonWriter json;
  json.begin_object();
  json.key("a").integer(-1);
  json.key("b").begin_array();
  json.text("x").number(0.5).boolean(true).null();
  json.end();
  json.key("empty").begin_object().end();
  json.key("none").begin_array().end();
  json.end();
  EXPECT_EQ(std::move(json).take(),
            "{\n"
            "  \"a\": -1,\n"
            "  \"b\": [\n"
            "    \"x\",\n"
            "    0.5,\n"
            "    true,\n"
            "    null\n"
            "  ],\n"
            "  \"empty\": {},\n"
            "  \"none\": []\n"
            "}\n");
}

std::string text_of(const std::string& value) {
  JsonWriter json;
  json.text(value);
  return std::move(json).take();
}

TEST(JsonWriter, TextIsEscaped) {
  EXPECT_EQ(text_of("a \"b\" \\ c"), "\"a \\\"b\\\" \\\\ c\"\n");
  EXPECT_EQ(text_of("a\nb\tc\x01"), "\"a\\nb\\u0009c\\u0001\"\n");
  EXPECT_EQ(text_of("\xC3\xA9"), "\"\xC3\xA9\"\n");
}

TEST(JsonWriter, NumbersReadBackAsTheSame) {
  const auto text = [](double value) {
    JsonWriter json;
    json.number(value);
    return std::move(json).take();
  };
  EXPECT_EQ(text(3970.25), "3970.25\n");
  EXPECT_EQ(std::stod(text(0.1)), 0.1);
  EXPECT_EQ(text(std::numeric_limits<double>::infinity()), "null\n");
  EXPECT_EQ(text(std::nan("")), "null\n");
}

}  // namespace
}  // namespace fastnorm::tuner
