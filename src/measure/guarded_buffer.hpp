// SPDX-License-Identifier: Apache-2.0
/// Memory between two canaries.
#pragma once

#include "measure/space.hpp"

#include <fastnorm/status.hpp>

#include <cstddef>

namespace fastnorm::measure {

class GuardedBuffer {
 public:
  /// Bytes held for `bytes` of content.
  static std::size_t footprint(std::size_t bytes) noexcept;

  /// Makes room for `bytes` and writes fresh canaries around them; the content is undefined. Memory
  /// is only ever grown. On failure the buffer is empty.
  Status resize(Space& space, std::size_t bytes);

  /// Whether nothing has written beside the content.
  Result<bool> intact(Space& space) const;

  void* data() const noexcept;  ///< Aligned to a page; null while empty.
  std::size_t size() const noexcept { return bytes_; }
  std::size_t capacity() const noexcept { return capacity_; }

 private:
  Memory memory_{nullptr, nullptr};
  std::size_t capacity_ = 0;  ///< Canaries included.
  std::size_t bytes_ = 0;
};

}  // namespace fastnorm::measure
