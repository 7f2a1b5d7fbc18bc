// F01: more elements than 32 bits count. The pattern (column or position mod 16) - 7.5 has mean 0
// and variance 21.25 in every row, so that no reference has to be computed.
#include "support/device_memory.hpp"
#include "support/plans.hpp"
#include "support/trial.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace fastnorm::test {
namespace {

constexpr std::size_t period = 16;

/// The pattern's elements in memory, each of them several times, and for each whether some bits are
/// a right y.
class Pattern {
 public:
  Pattern(DType type, double eps, double tolerance, std::size_t times = 1)
      : times_(times), x_(period * times) {
    constexpr std::size_t patterns = 1 << 16;
    for (std::size_t p = 0; p < period; ++p) {
      const double x = static_cast<double>(p) - 7.5;
      const double y = x / std::sqrt(21.25 + eps);
      std::fill_n(x_.begin() + static_cast<std::ptrdiff_t>(p * times), times,
                  static_cast<std::uint16_t>(to_bits(type, x)));
      right_[p].resize(patterns);
      for (std::size_t bits = 0; bits < patterns; ++bits) {
        const double error = std::abs(from_bits(type, bits) - y);
        right_[p][bits] = error <= tolerance * std::max(1.0, std::abs(y)) ? 1 : 0;
      }
    }
  }

  const std::vector<std::uint16_t>& x() const { return x_; }

  /// Of elements that begin with a whole period, on several threads.
  std::int64_t count_wrong(const std::vector<std::uint16_t>& y) const {
    const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t periods = y.size() / x_.size();
    std::atomic<std::int64_t> wrong{0};
    std::vector<std::thread> others;
    for (std::size_t thread = 0; thread < threads; ++thread) {
      others.emplace_back([&, thread] {
        std::int64_t mine = 0;
        const std::size_t end = periods * (thread + 1) / threads * x_.size();
        for (std::size_t i = periods * thread / threads * x_.size(); i < end; ++i) {
          mine += right_[i / times_ % period][y[i]] != 0 ? 0 : 1;
        }
        wrong += mine;
      });
    }
    for (std::thread& other : others) other.join();
    return wrong;
  }

 private:
  std::size_t times_;
  std::vector<std::uint16_t> x_;
  std::array<std::vector<std::uint8_t>, period> right_;
};

using DeviceBlock = std::unique_ptr<void, void (*)(void*)>;

DeviceBlock allocate(std::size_t bytes) {
  return {device_memory().allocate(bytes), [](void* block) { device_memory().release(block); }};
}

/// Repeats the pattern over the block, doubling what is there.
void fill(void* block, std::size_t bytes, const Pattern& pattern) {
  auto* base = static_cast<std::uint8_t*>(block);
  std::size_t done = pattern.x().size() * sizeof(std::uint16_t);
  device_memory().write(base, pattern.x().data(), done);
  while (done < bytes) {
    const std::size_t more = std::min(done, bytes - done);
    check_cuda(cudaMemcpy(base + done, base, more, cudaMemcpyDeviceToDevice), "cudaMemcpy");
    done += more;
  }
}

class F01WideIndices : public TargetTest {
 protected:
  /// Tensors of 16-bit elements without gamma and beta, by each strategy's default.
  static void check(const NormDesc& desc, const Pattern& pattern) {
    const std::size_t elements = logical_shape(desc).elements();
    const std::size_t bytes = elements * sizeof(std::uint16_t);
    std::size_t free = 0;
    std::size_t total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    if (free < 2 * bytes + (std::size_t{1} << 30)) {
      GTEST_SKIP() << "needs " << (2 * bytes >> 30) << " GiB of device memory, " << (free >> 30)
                   << " are free";
    }
    const DeviceBlock x = allocate(bytes);
    const DeviceBlock y = allocate(bytes);
    fill(x.get(), bytes, pattern);
    constexpr std::size_t most = std::size_t{1} << 28;
    std::vector<std::uint16_t> slice(most);

    std::set<std::string> seen;
    for (const Plan& plan : plans_under_test(desc, 1)) {
      // The heuristic's choice is one of the strategies' defaults.
      if (!seen.insert(plan.strategy() + plan.config()).second) continue;
      SCOPED_TRACE(plan.describe());
      check_cuda(cudaMemset(y.get(), 0xFF, bytes), "cudaMemset");
      const GarbageWorkspace workspace(target_memory(), plan.workspace_bytes());
      NormArgs args;
      args.x = x.get();
      args.y = y.get();
      const Status status = plan.execute(args, workspace.data(), workspace.size());
      ASSERT_TRUE(status.ok()) << status.message();
      for (std::size_t begin = 0; begin < elements; begin += most) {
        slice.resize(std::min(most, elements - begin));
        target_memory().read(slice.data(), static_cast<const std::uint16_t*>(y.get()) + begin,
                             slice.size() * sizeof(std::uint16_t));
        ASSERT_EQ(pattern.count_wrong(slice), 0) << "in the elements from " << begin << " on";
      }
    }
  }
};

TEST_F(F01WideIndices, LayerNormOfMoreThanFourBillionElements) {
  const NormDesc desc = with_type(layer_norm_desc({65537, 65536}), DType::f16);
  check(desc, Pattern(DType::f16, desc.eps, 2e-3));
}

TEST_F(F01WideIndices, ChannelsLastGroupNormOfMoreThanTwoBillionElements) {
  constexpr std::int64_t channels = 128;
  const NormDesc desc =
      with_type(channels_last(group_norm_desc({1, channels, 16128, 1200}, 32)), DType::bf16);
  check(desc, Pattern(DType::bf16, desc.eps, 1.6e-2, channels));
}

}  // namespace
}  // namespace fastnorm::test
