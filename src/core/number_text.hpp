/// Numbers as text that reads back as the same number.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace fastnorm {

/// The shortest such text, in any locale.
inline std::string number_text(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end);
}

}  // namespace fastnorm
