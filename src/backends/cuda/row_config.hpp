/// The launch parameters of the two-read row strategies.
#pragma once

#include <array>
#include <string_view>

namespace fastnorm::cuda {

/// Which end of the row the second read starts from. Backwards meets what the first read left in
/// L2.
enum class WalkOrder { forward, backward };
constexpr std::array<std::string_view, 2> enum_names(WalkOrder) { return {"forward", "backward"}; }

/// What the second read and the stores ask of the L2: keep their lines like any other, or let them
/// go first, so that they do not push out what other blocks will read again.
enum class CacheHint { keep, stream };
constexpr std::array<std::string_view, 2> enum_names(CacheHint) { return {"keep", "stream"}; }

/// What decides a kernel's instantiation.
struct KernelShape {
  int vec_width = 4;  ///< Elements a load: 1, 2 or 4.
  int unroll = 4;     ///< Loads in flight a thread: 1, 2, 4 or 8.
};

/// The largest block of a kernel: 32 values a thread do not fit the 64 registers that 1024 threads
/// leave each.
constexpr int max_threads(int vec_width, int unroll) {
  return vec_width * unroll >= 32 ? 512 : 1024;
}

/// What every row strategy has. A strategy's own config adds to it.
struct RowConfig {
  int threads = 256;  ///< Of a block: 64 to 1024, a multiple of 32.
  int vec_width = 4;
  int unroll = 4;
  WalkOrder second_read = WalkOrder::forward;
  CacheHint cache = CacheHint::keep;

  KernelShape shape() const { return {vec_width, unroll}; }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("threads", self.threads);
    visit("vec_width", self.vec_width);
    visit("unroll", self.unroll);
    visit("second_read", self.second_read);
    visit("cache", self.cache);
  }
};

struct SplitRowConfig : RowConfig {
  int splits = 2;  ///< Blocks a row.

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("splits", self.splits);
    RowConfig::fields(self, visit);
  }
};

/// The same for tensors that differ in their distance from a vector's boundary.
template <class AnyRowConfig>
AnyRowConfig scalar(AnyRowConfig config) {
  config.vec_width = 1;
  return config;
}

}  // namespace fastnorm::cuda
