// SPDX-License-Identifier: Apache-2.0
/// What Kokkos says where it throws.
#pragma once

#include <exception>
#include <string>

namespace fastnorm::kokkos {

/// The first line. Behind it Kokkos has a trace of its calls, or that it has none.
inline std::string text_of(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace fastnorm::kokkos
