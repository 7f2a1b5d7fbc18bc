// SPDX-License-Identifier: Apache-2.0
#include "measure/guarded_buffer.hpp"

#include <algorithm>
#include <array>

namespace fastnorm::measure {
namespace {

/// A page each: keeps the content aligned, and is wider than any single access that goes astray.
constexpr std::size_t guard_bytes = 4096;
constexpr unsigned char canary = 0xc5;

}  // namespace

std::size_t GuardedBuffer::footprint(std::size_t bytes) noexcept { return bytes + 2 * guard_bytes; }

void* GuardedBuffer::data() const noexcept {
  return memory_ ? static_cast<unsigned char*>(memory_.get()) + guard_bytes : nullptr;
}

Status GuardedBuffer::resize(Space& space, std::size_t bytes) {
  bytes_ = 0;
  if (footprint(bytes) > capacity_) {
    memory_.reset();  // first, so that old and new need not fit side by side
    capacity_ = 0;
    Result<Memory> grown = space.allocate(footprint(bytes));
    if (!grown.ok()) return grown.status();
    memory_ = std::move(grown).value();
    capacity_ = footprint(bytes);
  }
  auto* base = static_cast<unsigned char*>(memory_.get());
  if (Status status = space.fill(base, canary, guard_bytes); !status.ok()) return status;
  if (Status status = space.fill(base + guard_bytes + bytes, canary, guard_bytes); !status.ok()) {
    return status;
  }
  bytes_ = bytes;
  return {};
}

Result<bool> GuardedBuffer::intact(Space& space) const {
  if (!memory_) return true;
  const auto* base = static_cast<const unsigned char*>(memory_.get());
  const std::array<const unsigned char*, 2> guards = {base, base + guard_bytes + bytes_};
  for (const unsigned char* guard : guards) {
    std::array<unsigned char, guard_bytes> seen;
    if (Status status = space.read(seen.data(), guard, seen.size()); !status.ok()) return status;
    if (!std::all_of(seen.begin(), seen.end(), [](unsigned char b) { return b == canary; })) {
      return false;
    }
  }
  return true;
}

}  // namespace fastnorm::measure
