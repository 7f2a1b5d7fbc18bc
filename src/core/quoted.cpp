// SPDX-License-Identifier: Apache-2.0
#include "core/quoted.hpp"

#include "core/utf8.hpp"

#include <limits>

namespace fastnorm {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

std::string hex_escape(std::string_view mark, unsigned byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  return std::string(mark) + digits[byte >> 4U] + digits[byte & 0xFU];
}

/// Also those beyond ASCII (U+0080 to U+009F), which some terminals obey.
std::string control_escape(std::string_view character) {
  const auto byte = static_cast<unsigned char>(character.back());
  if (character.size() == 2) return hex_escape("\\u00", byte);
  switch (byte) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return hex_escape("\\x", byte);
  }
}

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return character.size() == 2 && first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

}  // namespace

std::string escaped(std::string_view text) { return shortened(text, no_limit); }

std::string shortened(std::string_view text, std::size_t most) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    text.remove_prefix(character.size());
    std::string escape;
    if (length == 0) {
      escape = hex_escape("\\x", static_cast<unsigned char>(character.front()));
    } else if (is_control(character)) {
      escape = control_escape(character);
    }
    const std::size_t width = escape.empty() ? 1 : escape.size();
    if (width > most) return result + "...";
    most -= width;
    result += escape.empty() ? character : std::string_view(escape);
  }
  return result;
}

std::string in_quotes(std::string_view text, std::size_t most) {
  return '"' + shortened(text, most) + '"';
}

}  // namespace fastnorm
