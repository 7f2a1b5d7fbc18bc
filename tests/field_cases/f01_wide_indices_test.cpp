// F01: more elements than 32 bits count. The pattern (column mod 16) - 7.5 has mean 0 and variance
// 21.25 in every row, so that no reference has to be computed.
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

/// The pattern's elements in memory, and for each of them whether some bits are a right y.
class Pattern {
 public:
  Pattern(DType type, double eps, double tolerance) {
    constexpr std::size_t patterns = 1 << 16;
    for (std::size_t p = 0; p < period; ++p) {
      const double x = static_cast<double>(p) - 7.5;
      const double y = x / std::sqrt(21.25 + eps);
      x_[p] = static_cast<std::uint16_t>(to_bits(type, x));
      right_[p].resize(patterns);
      for (std::size_t bits = 0; bits < patterns; ++bits) {
        const double error = std::abs(from_bits(type, bits) - y);
        right_[p][bits] = error <= tolerance * std::max(1.0, std::abs(y)) ? 1 : 0;
      }
    }
  }

  const std::array<std::uint16_t, period>& x() const { return x_; }

  /// Of elements that begin with a whole period, on several threads.
  std::int64_t count_wrong(const std::vector<std::uint16_t>& y) const {
    const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t periods = y.size() / period;
    std::atomic<std::int64_t> wrong{0};
    std::vector<std::thread> others;
    for (std::size_t thread = 0; thread < threads; ++thread) {
      others.emplace_back([&, thread] {
        std::int64_t mine = 0;
        const std::size_t end = periods * (thread + 1) / threads * period;
        for (std::size_t i = periods * thread / threads * period; i < end; ++i) {
          mine += right_[i % period][y[i]] != 0 ? 0 : 1;
        }
        wrong += mine;
      });
    }
    for (std::thread& other : others) other.join();
    return wrong;
  }

 private:
  std::array<std::uint16_t, period> x_{};
  std::array<std::vector<std::uint8_t>, period> right_;
};

using DeviceBlock = std::unique_ptr<void, void (*)(void*)>;

DeviceBlock allocate(std::size_t bytes) {
  return {device_memory().allocate(bytes), [](void* block) { device_memory().release(block); }};
}

/// Repeats the pattern over the block, doubling what is there.
void fill(void* block, std::size_t bytes, const Pattern& pattern) {
  auto* base = static_cast<std::uint8_t*>(block);
  std::size_t done = sizeof pattern.x();
  device_memory().write(base, pattern.x().data(), done);
  while (done < bytes) {
    const std::size_t more = std::min(done, bytes - done);
    check_cuda(cudaMemcpy(base + done, base, more, cudaMemcpyDeviceToDevice), "cudaMemcpy");
    done += more;
  }
}

class F01WideIndices : public TargetTest {};

TEST_F(F01WideIndices, LayerNormOfMoreThanFourBillionElements) {
  constexpr std::size_t row_len = 65536;
  constexpr std::size_t rows = 65537;
  constexpr std::size_t bytes = rows * row_len * sizeof(std::uint16_t);
  std::size_t free = 0;
  std::size_t total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  if (free < 2 * bytes + (std::size_t{1} << 30)) {
    GTEST_SKIP() << "needs " << (2 * bytes >> 30) << " GiB of device memory, " << (free >> 30)
                 << " are free";
  }
  const NormDesc desc = with_type(layer_norm_desc({rows, row_len}), DType::f16);
  const Pattern pattern(DType::f16, desc.eps, 2e-3);
  const DeviceBlock x = allocate(bytes);
  const DeviceBlock y = allocate(bytes);
  fill(x.get(), bytes, pattern);
  std::vector<std::uint16_t> slice(row_len * 4096);

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
    for (std::size_t row = 0; row < rows; row += 4096) {
      slice.resize(row_len * std::min<std::size_t>(4096, rows - row));
      const auto* from = static_cast<const std::uint16_t*>(y.get()) + row * row_len;
      target_memory().read(slice.data(), from, slice.size() * sizeof(std::uint16_t));
      ASSERT_EQ(pattern.count_wrong(slice), 0) << "in the rows from " << row << " on";
    }
  }
}

}  // namespace
}  // namespace fastnorm::test
