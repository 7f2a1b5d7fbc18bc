// SPDX-License-Identifier: Apache-2.0
#include "measure/cuda_contents.cuh"
#include "measure/cuda_grid.cuh"

namespace fastnorm::measure {
namespace {

template <class T>
__global__ void fill_random_kernel(T* tensor, std::int64_t count, Turns turns, std::uint64_t seed) {
  for (std::int64_t i = first_index(); i < count; i += grid_threads()) {
    tensor[i] = random_element<T>(seed, i, turns.of(i));
  }
}

template <class T>
__global__ void unset_gaps_kernel(T* tensor, Places places) {
  for (std::int64_t i = first_index(); i < places.span(); i += grid_threads()) {
    if (!places.has_element(i)) tensor[i] = unset<T>();
  }
}

template <class T>
__global__ void count_damaged_kernel(const T* tensor, std::int64_t count, Turns turns,
                                     std::uint64_t seed, unsigned long long* found) {
  unsigned long long mine = 0;
  for (std::int64_t i = first_index(); i < count; i += grid_threads()) {
    if (!(widen(tensor[i]) == widen(random_element<T>(seed, i, turns.of(i))))) ++mine;
  }
  if (mine != 0) atomicAdd(found, mine);
}

template <class T>
__global__ void count_set_gaps_kernel(const T* tensor, Places places, unsigned long long* found) {
  unsigned long long mine = 0;
  for (std::int64_t i = first_index(); i < places.span(); i += grid_threads()) {
    if (!places.has_element(i) && !is_unset(tensor[i])) ++mine;
  }
  if (mine != 0) atomicAdd(found, mine);
}

}  // namespace

cudaError_t enqueue_fill_random(void* tensor, DType type, std::int64_t count, Turns turns,
                                std::uint64_t seed, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  with_elements(type, tensor, [&](auto* elements) {
    fill_random_kernel<<<blocks_for_elements(count), block_threads, 0, stream>>>(elements, count,
                                                                                 turns, seed);
  });
  return cudaGetLastError();
}

cudaError_t enqueue_unset_gaps(void* tensor, DType type, const Places& places,
                               cudaStream_t stream) {
  with_elements(type, tensor, [&](auto* elements) {
    unset_gaps_kernel<<<blocks_for_elements(places.span()), block_threads, 0, stream>>>(elements,
                                                                                        places);
  });
  return cudaGetLastError();
}

cudaError_t enqueue_count_damaged(const void* tensor, DType type, std::int64_t count, Turns turns,
                                  std::uint64_t seed, unsigned long long* found,
                                  cudaStream_t stream) {
  const cudaError_t error = cudaMemsetAsync(found, 0, sizeof *found, stream);
  if (error != cudaSuccess || count == 0) return error;
  with_elements(type, tensor, [&](const auto* elements) {
    count_damaged_kernel<<<blocks_for_elements(count), block_threads, 0, stream>>>(
        elements, count, turns, seed, found);
  });
  return cudaGetLastError();
}

cudaError_t enqueue_count_set_gaps(const void* tensor, DType type, const Places& places,
                                   unsigned long long* found, cudaStream_t stream) {
  const cudaError_t error = cudaMemsetAsync(found, 0, sizeof *found, stream);
  if (error != cudaSuccess) return error;
  with_elements(type, tensor, [&](const auto* elements) {
    count_set_gaps_kernel<<<blocks_for_elements(places.span()), block_threads, 0, stream>>>(
        elements, places, found);
  });
  return cudaGetLastError();
}

}  // namespace fastnorm::measure
