#include "backends/cuda/strategies.hpp"

namespace fastnorm::cuda {

const std::vector<const KernelVariant*>& strategies() {
  static const std::vector<const KernelVariant*> all = {
      &split_two_kernel_variant(), &split_atomic_variant(), &block_row_variant()};
  return all;
}

}  // namespace fastnorm::cuda
