// SPDX-License-Identifier: Apache-2.0
/// SHA-256 (FIPS 180-4).
#pragma once

#include <string>
#include <string_view>

namespace fastnorm {

/// The digest in hexadecimal digits, as sha256sum prints it.
std::string sha256(std::string_view text);

}  // namespace fastnorm
