// SPDX-License-Identifier: Apache-2.0
/// How the host's loops write their outputs.
#pragma once

#include <array>
#include <string_view>

namespace fastnorm::kokkos {

enum class Stores {
  cached,    ///< Into the caches, which read a line before it is changed, and write it back later.
  streaming  ///< Past them: for outputs that they have no room for.
};

constexpr std::array<std::string_view, 2> enum_names(Stores) { return {"cached", "streaming"}; }

}  // namespace fastnorm::kokkos
