// SPDX-License-Identifier: Apache-2.0
/// JSON (RFC 8259), value by value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm::tuner {

/// One member or item a line. Within an object, each value follows its key.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return begin('{', '}'); }
  JsonWriter& begin_array() { return begin('[', ']'); }
  JsonWriter& end();

  JsonWriter& key(std::string_view name);

  JsonWriter& text(std::string_view value);
  JsonWriter& integer(std::int64_t value);
  /// null where it is not finite.
  JsonWriter& number(double value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();

  /// What has been written, with a line's end.
  std::string take() &&;

 private:
  struct Open {
    char end;
    std::size_t items = 0;
  };

  JsonWriter& begin(char start, char end);
  /// What stands between the last value and the next.
  void separate();
  void new_line();
  void put_text(std::string_view value);

  std::string text_;
  std::vector<Open> open_;
  bool after_key_ = false;
};

}  // namespace fastnorm::tuner
