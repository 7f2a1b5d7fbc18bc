// SPDX-License-Identifier: Apache-2.0
#include "counting_new.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

std::atomic<std::size_t> count{0};
std::atomic<std::size_t> last_allowed{std::numeric_limits<std::size_t>::max()};

bool is_allowed() noexcept { return ++count <= last_allowed; }

void* allocate(std::size_t size) noexcept {
  return !is_allowed() ? nullptr : std::malloc(size == 0 ? 1 : size);
}

void* counted(std::size_t size) {
  if (void* block = allocate(size)) return block;
  throw std::bad_alloc();
}

void* counted_aligned(std::size_t size, std::align_val_t alignment) {
  if (!is_allowed()) throw std::bad_alloc();
  const auto boundary = static_cast<std::size_t>(alignment);
  const std::size_t rounded = (size + boundary - 1) / boundary * boundary;
  if (void* block = std::aligned_alloc(boundary, rounded == 0 ? boundary : rounded)) return block;
  throw std::bad_alloc();
}

}  // namespace

namespace fastnorm::test {

std::size_t allocation_count() noexcept { return count; }

AllocationLimit::AllocationLimit(std::size_t allocations) noexcept {
  last_allowed = count + allocations;
}

AllocationLimit::~AllocationLimit() { last_allowed = std::numeric_limits<std::size_t>::max(); }

}  // namespace fastnorm::test

// All forms, since a sanitizer's runtime brings its own of those that a program leaves out.
void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted_aligned(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted_aligned(size, alignment);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { std::free(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
