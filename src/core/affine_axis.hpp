// SPDX-License-Identifier: Apache-2.0
/// What gamma and beta belong to, in a matrix of positions by columns.
#pragma once

namespace fastnorm {

enum class AffineAxis {
  column,    ///< Channels-last: a column is a channel.
  position,  ///< layer_norm over the channels of a channels-first tensor.
};

}  // namespace fastnorm
