// SPDX-License-Identifier: Apache-2.0
/// Numbers as text that reads back as the same number, and text that is a number.
#pragma once

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace fastnorm {

/// The shortest such text, in any locale.
inline std::string number_text(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end);
}

/// Whether the whole of a text is a number of this type, which then is in `number`.
template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stopped == end;
}

}  // namespace fastnorm
