// SPDX-License-Identifier: Apache-2.0
/// Where a test's tensors live. A failing runtime call throws: the test has found no answer then.
#pragma once

#include <fastnorm/types.hpp>

#include <cstddef>
#include <string>

namespace fastnorm::test {

class Memory {
 public:
  virtual ~Memory() = default;

  virtual MemorySpace space() const noexcept = 0;
  virtual void* allocate(std::size_t bytes) = 0;  ///< Aligned to 256 bytes.
  virtual void release(void* pointer) noexcept = 0;
  virtual void write(void* to, const void* from, std::size_t bytes) = 0;

  /// Waits for all work that was enqueued before.
  virtual void read(void* to, const void* from, std::size_t bytes) = 0;
};

Memory& host_memory();

}  // namespace fastnorm::test
