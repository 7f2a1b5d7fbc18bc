// SPDX-License-Identifier: Apache-2.0
#include "tuner/json_writer.hpp"

#include "core/number_text.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace fastnorm::tuner {

JsonWriter& JsonWriter::end() {
  const Open closed = open_.back();
  open_.pop_back();
  if (closed.items > 0) new_line();
  text_ += closed.end;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  put_text(name);
  text_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  put_text(value);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  separate();
  text_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  separate();
  text_ += std::isfinite(value) ? number_text(value) : "null";
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  text_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  text_ += "null";
  return *this;
}

std::string JsonWriter::take() && { return std::move(text_) + "\n"; }

JsonWriter& JsonWriter::begin(char start, char end) {
  separate();
  text_ += start;
  open_.push_back({end});
  return *this;
}

void JsonWriter::separate() {
  if (std::exchange(after_key_, false) || open_.empty()) return;
  if (open_.back().items++ > 0) text_ += ',';
  new_line();
}

void JsonWriter::new_line() {
  constexpr std::size_t indent = 2;
  text_ += '\n';
  text_.append(indent * open_.size(), ' ');
}

void JsonWriter::put_text(std::string_view value) {
  text_ += '"';
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (c == '\n') {
      text_ += "\\n";
    } else if (byte < 0x20) {
      std::array<char, 8> escaped;
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", byte);
      text_ += escaped.data();
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

}  // namespace fastnorm::tuner
