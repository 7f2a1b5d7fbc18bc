// SPDX-License-Identifier: Apache-2.0
#include "tuner/checksum.hpp"

#include <array>
#include <cstddef>

namespace fastnorm::tuner {
namespace {

/// What a byte does to the remainder, bits in reversed order.
constexpr std::array<std::uint32_t, 256> make_table() {
  constexpr std::uint32_t polynomial = 0xEDB88320;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1U) ^ ((remainder & 1U) != 0 ? polynomial : 0);
    }
    table[byte] = remainder;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> table = make_table();

}  // namespace

std::uint32_t crc32(std::string_view text) noexcept {
  std::uint32_t remainder = 0xFFFFFFFF;
  for (const char c : text) {
    remainder = (remainder >> 8U) ^ table[(remainder ^ static_cast<unsigned char>(c)) & 0xFFU];
  }
  return ~remainder;
}

std::string crc32_text(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::uint32_t left = crc32(text);
  std::string result(8, '0');
  for (std::size_t i = result.size(); i > 0; --i) {
    result[i - 1] = digits[left % digits.size()];
    left /= static_cast<std::uint32_t>(digits.size());
  }
  return result;
}

}  // namespace fastnorm::tuner
