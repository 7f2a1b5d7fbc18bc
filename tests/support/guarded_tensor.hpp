// SPDX-License-Identifier: Apache-2.0
/// A guarded buffer whose element type is known at run time, as a descriptor gives it.
#pragma once

#include "support/element_types.hpp"
#include "support/guarded_buffer.hpp"

#include <fastnorm/types.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace fastnorm::test {

class GuardedTensor {
 public:
  /// data() lies `offset` elements behind a 256-byte boundary; poisoned.
  GuardedTensor(Memory& memory, DType type, std::size_t count, std::size_t offset = 0)
      : type_(type), count_(count), bytes_(memory, count * size_of(type), offset * size_of(type)) {
    poison();
  }

  void* data() const noexcept { return bytes_.data(); }
  DType type() const noexcept { return type_; }
  std::size_t size() const noexcept { return count_; }

  /// Rounded to the type.
  void write(const Values& values) { write_encoded(encode(type_, values)); }
  void write_encoded(const std::vector<std::uint8_t>& elements) { bytes_.write(elements); }

  /// NaN everywhere: an element that a kernel leaves out, or reads from an output, shows.
  void poison() { write(Values(count_, std::numeric_limits<double>::quiet_NaN())); }

  Values read() const { return decode(type_, read_encoded()); }
  std::vector<std::uint8_t> read_encoded() const { return bytes_.read(); }

  ::testing::AssertionResult canaries_intact() const { return bytes_.canaries_intact(); }

 private:
  DType type_;
  std::size_t count_;
  GuardedBuffer<std::uint8_t> bytes_;
};

}  // namespace fastnorm::test
