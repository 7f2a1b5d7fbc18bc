/// What the split strategies keep in the workspace.
#pragma once

namespace fastnorm::cuda {

/// Moments of one part of a row.
struct alignas(16) PartialSlot {
  double mean;
  float m2;
  float count;
};

/// Sums over a row, of deviations from `shift`.
struct AtomicSlot {
  double sum;
  double sum_of_squares;
  double shift;
};

}  // namespace fastnorm::cuda
