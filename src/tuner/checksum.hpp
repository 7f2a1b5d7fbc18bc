// SPDX-License-Identifier: Apache-2.0
/// CRC-32: tells a text that was cut off or damaged from the one that was written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fastnorm::tuner {

/// That of zlib, Ethernet and PNG.
std::uint32_t crc32(std::string_view text) noexcept;

/// The same as eight hexadecimal digits.
std::string crc32_text(std::string_view text);

}  // namespace fastnorm::tuner
