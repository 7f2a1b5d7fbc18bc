// SPDX-License-Identifier: Apache-2.0
#include "core/shell_word.hpp"

namespace fastnorm {
namespace {

constexpr std::string_view plain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./=-";

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string word = "'";
  for (const char character : text) {
    if (character == '\'') {
      word += "'\\''";  // within single quotes nothing escapes one
    } else {
      word += character;
    }
  }
  return word += '\'';
}

}  // namespace fastnorm
