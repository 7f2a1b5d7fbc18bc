// SPDX-License-Identifier: Apache-2.0
#include "allocation_count.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace fastnorm::bench {
namespace {

std::atomic<std::int64_t> count{0};

void* counted(void* memory) {
  count.fetch_add(1, std::memory_order_relaxed);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

std::int64_t allocation_count() noexcept { return count.load(std::memory_order_relaxed); }

}  // namespace fastnorm::bench

// The array and nothrow forms of the standard library call these.
void* operator new(std::size_t bytes) { return fastnorm::bench::counted(std::malloc(bytes)); }

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  // aligned_alloc wants a multiple of the alignment.
  return fastnorm::bench::counted(std::aligned_alloc(align, (bytes + align - 1) / align * align));
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
