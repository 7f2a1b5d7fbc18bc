// SPDX-License-Identifier: Apache-2.0
#include "core/utf8.hpp"

#include <algorithm>

namespace fastnorm {
namespace {

/// Of what is shown as one character, of some text.
std::size_t character_bytes(std::string_view text) noexcept {
  return std::max<std::size_t>(utf8_length(text), 1);
}

}  // namespace

std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  const unsigned second = byte(1);
  if (text.empty()) return 0;
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4 || !continues(1)) return 0;
  if (lead < 0xE0) return 2;
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || !continues(2)) return 0;
  if (lead < 0xF0) return 3;
  if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F) || !continues(3)) return 0;
  return 4;
}

std::string_view leading_code_points(std::string_view text, std::size_t most) noexcept {
  std::size_t bytes = 0;
  for (; most > 0 && bytes < text.size(); --most) bytes += character_bytes(text.substr(bytes));
  return text.substr(0, bytes);
}

std::size_t count_code_points(std::string_view text) noexcept {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(character_bytes(text));
  return count;
}

}  // namespace fastnorm
