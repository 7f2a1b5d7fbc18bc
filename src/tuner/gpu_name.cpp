// SPDX-License-Identifier: Apache-2.0
#include "tuner/gpu_name.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace fastnorm::tuner {
namespace {

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : text) {
    if (is_word_character(c)) {
      if (!inside) words.emplace_back();
      words.back() += c;
    }
    inside = is_word_character(c);
  }
  return words;
}

bool equal_ignoring_case(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

}  // namespace

bool names_device(std::string_view wanted, std::string_view device_name) {
  const std::vector<std::string> pattern = words_of(wanted);
  const std::vector<std::string> words = words_of(device_name);
  return !pattern.empty() && std::search(words.begin(), words.end(), pattern.begin(), pattern.end(),
                                         equal_ignoring_case) != words.end();
}

std::string short_device_name(std::string_view device_name) {
  const auto has_digit = [](const std::string& word) {
    return std::any_of(word.begin(), word.end(),
                       [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  };
  const std::vector<std::string> words = words_of(device_name);
  const auto model = std::find_if(words.begin(), words.end(), has_digit);
  return model != words.end() ? *model : std::string(device_name);
}

}  // namespace fastnorm::tuner
