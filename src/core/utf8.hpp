// SPDX-License-Identifier: Apache-2.0
/// Characters of UTF-8 text.
#pragma once

#include <cstddef>
#include <string_view>

namespace fastnorm {

/// Bytes of the UTF-8 sequence at the front of `text`; 0 if there is none. Overlong forms,
/// surrogates and code points beyond U+10FFFF are none (RFC 3629).
std::size_t utf8_length(std::string_view text) noexcept;

/// The front of the text with so many code points at most; a byte that begins none counts as one.
std::string_view leading_code_points(std::string_view text, std::size_t most) noexcept;

/// Code points, counted likewise.
std::size_t count_code_points(std::string_view text) noexcept;

}  // namespace fastnorm
