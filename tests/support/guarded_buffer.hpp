// SPDX-License-Identifier: Apache-2.0
/// A test's tensor: canaries on both sides, contents that poison what is never written, and a base
/// that may lie off its natural boundary.
#pragma once

#include "support/memory.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace fastnorm::test {

template <class T>
class GuardedBuffer {
 public:
  /// data() lies `offset` elements behind a 256-byte boundary.
  GuardedBuffer(Memory& memory, std::size_t count, std::size_t offset = 0)
      : memory_(&memory),
        count_(count),
        before_(guard_bytes + offset * sizeof(T)),
        block_(static_cast<std::byte*>(memory.allocate(block_bytes()))) {
    const std::vector<std::uint8_t> canaries(block_bytes(), canary);
    memory_->write(block_, canaries.data(), canaries.size());
    if constexpr (std::numeric_limits<T>::has_quiet_NaN) poison();
  }

  ~GuardedBuffer() { memory_->release(block_); }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  T* data() const noexcept { return reinterpret_cast<T*>(block_ + before_); }
  std::size_t size() const noexcept { return count_; }
  std::size_t bytes() const noexcept { return count_ * sizeof(T); }

  void write(const std::vector<T>& values) {
    ASSERT_EQ(values.size(), count_);
    memory_->write(data(), values.data(), bytes());
  }

  /// NaN everywhere: an element that a kernel leaves out, or reads from an output, shows.
  void poison() { write(std::vector<T>(count_, std::numeric_limits<T>::quiet_NaN())); }

  std::vector<T> read() const {
    std::vector<T> values(count_);
    memory_->read(values.data(), data(), bytes());
    return values;
  }

  ::testing::AssertionResult canaries_intact() const {
    std::vector<std::uint8_t> block(block_bytes());
    memory_->read(block.data(), block_, block.size());
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (i >= before_ && i < before_ + bytes()) continue;
      if (block[i] == canary) continue;
      const auto distance = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(before_);
      return ::testing::AssertionFailure()
             << "byte " << distance << " relative to the start of a buffer of " << bytes()
             << " bytes was overwritten";
    }
    return ::testing::AssertionSuccess();
  }

 private:
  static constexpr std::size_t guard_bytes = 256;
  /// As f32 or bf16 -4e37, as f64 -1e300, as f16 NaN: a kernel that reads beyond an end shows it in
  /// its statistics, too.
  static constexpr std::uint8_t canary = 0xFD;

  std::size_t block_bytes() const noexcept { return before_ + bytes() + guard_bytes; }

  Memory* memory_;
  std::size_t count_;
  std::size_t before_;
  std::byte* block_;
};

}  // namespace fastnorm::test
