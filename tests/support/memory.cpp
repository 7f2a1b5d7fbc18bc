// SPDX-License-Identifier: Apache-2.0
#include "support/memory.hpp"

#include <cstring>
#include <new>

namespace fastnorm::test {
namespace {

constexpr std::align_val_t alignment{256};

class HostMemory final : public Memory {
 public:
  MemorySpace space() const noexcept override { return MemorySpace::host; }
  void* allocate(std::size_t bytes) override { return ::operator new(bytes, alignment); }
  void release(void* pointer) noexcept override { ::operator delete(pointer, alignment); }
  void write(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void read(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }

 private:
  // An empty vector's data() may be null, which memcpy must not see.
  static void copy(void* to, const void* from, std::size_t bytes) {
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
};

}  // namespace

Memory& host_memory() {
  static HostMemory memory;
  return memory;
}

}  // namespace fastnorm::test
