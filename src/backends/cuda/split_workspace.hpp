// SPDX-License-Identifier: Apache-2.0
/// What split_atomic keeps in the workspace.
#pragma once

namespace fastnorm::cuda {

/// Sums over a row, of deviations from `shift`.
struct AtomicSlot {
  double sum;
  double sum_of_squares;
  double shift;
};

}  // namespace fastnorm::cuda
