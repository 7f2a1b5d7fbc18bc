/// The vocabulary of a normalization: operations, element types, layouts, extents, streams.
#pragma once

#include <fastnorm/export.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace fastnorm {

enum class Op : std::uint8_t { group_norm, instance_norm };
enum class DType : std::uint8_t { f32, f16, bf16, f64 };

/// Channels-first is N,C,spatial... in memory (NCHW, NCDHW); channels-last is N,spatial...,C.
enum class Layout : std::uint8_t { channels_first, channels_last };

/// Where the tensors live. `automatic` asks the pointers (free functions), or prefers a device
/// when there is one (Plan::create, which sees no pointers).
enum class MemorySpace : std::uint8_t { automatic, host, device };

FASTNORM_API const char* to_string(Op op) noexcept;
FASTNORM_API const char* to_string(DType type) noexcept;
FASTNORM_API const char* to_string(Layout layout) noexcept;
FASTNORM_API const char* to_string(MemorySpace space) noexcept;

/// Bytes of one element.
FASTNORM_API std::size_t size_of(DType type) noexcept;

/// A queue of device work: a cudaStream_t handed over as it is, so that callers need no CUDA
/// header. Null is the legacy default stream. Host back ends ignore it: they return when the work
/// is done.
struct Stream {
  void* handle = nullptr;
};

/// A tensor's extents in the logical order N, C, spatial..., whatever the layout in memory.
/// Held in place, so that building one allocates nothing.
class Extents {
 public:
  static constexpr int max_rank = 16;

  constexpr Extents() noexcept = default;
  constexpr Extents(std::initializer_list<std::int64_t> extents) noexcept {
    for (const std::int64_t extent : extents) push_back(extent);
  }

  /// Appends one more extent. Beyond max_rank only the count goes on, and the plan is refused.
  constexpr void push_back(std::int64_t extent) noexcept {
    if (rank_ < max_rank) values_[rank_] = extent;
    ++rank_;
  }

  constexpr int rank() const noexcept { return rank_; }
  constexpr std::int64_t operator[](int axis) const noexcept { return values_[axis]; }

  friend constexpr bool operator==(const Extents& a, const Extents& b) noexcept {
    if (a.rank_ != b.rank_) return false;
    for (int axis = 0; axis < a.rank_ && axis < max_rank; ++axis) {
      if (a.values_[axis] != b.values_[axis]) return false;
    }
    return true;
  }
  friend constexpr bool operator!=(const Extents& a, const Extents& b) noexcept {
    return !(a == b);
  }

 private:
  std::int64_t values_[max_rank] = {};
  int rank_ = 0;
};

}  // namespace fastnorm
