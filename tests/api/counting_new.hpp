// SPDX-License-Identifier: Apache-2.0
/// Every operator new of the program, counted, and refused where a test wants it so.
#pragma once

#include <cstddef>

namespace fastnorm::test {

std::size_t allocation_count() noexcept;

/// From now on only so many succeed, in all threads together, until the object's end.
class AllocationLimit {
 public:
  explicit AllocationLimit(std::size_t allocations) noexcept;
  ~AllocationLimit();
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;
};

}  // namespace fastnorm::test
