// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/host_backend.hpp"
#include "core/backend.hpp"

#include <vector>
#ifdef FASTNORM_KOKKOS_CUDA
#include "backends/kokkos/cuda_backend.hpp"
#endif

namespace fastnorm::kokkos {

std::vector<const Backend*> make_backends() {
  std::vector<const Backend*> all{&host_backend()};
#ifdef FASTNORM_KOKKOS_CUDA
  all.push_back(&cuda_backend());
#endif
  return all;
}

}  // namespace fastnorm::kokkos
