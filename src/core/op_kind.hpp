// SPDX-License-Identifier: Apache-2.0
/// What the operations have in common, each named once: the compiler asks for a new one's line.
#pragma once

#include <fastnorm/types.hpp>

namespace fastnorm {

/// Whether a row is the last extents, rather than channels of a sample.
inline bool normalises_last_extents(Op op) noexcept {
  switch (op) {
    case Op::group_norm:
    case Op::instance_norm:
      return false;
    case Op::layer_norm:
    case Op::rms_norm:
      return true;
  }
  return false;
}

}  // namespace fastnorm
