// SPDX-License-Identifier: Apache-2.0
/// Tensors too large for a reference: of 16-bit elements whose statistics are known.
#pragma once

#include "support/device_memory.hpp"
#include "support/element_types.hpp"
#include "support/shapes.hpp"
#include "support/target.hpp"
#include "support/tolerance.hpp"
#include "support/trial.hpp"

#include <fastnorm/plan.hpp>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace fastnorm::test {

/// The pattern's elements in memory, each of them several times, and for each whether some bits are
/// a right y. (k mod 16) - 7.5 has mean 0 and variance 21.25.
class Pattern {
 public:
  static constexpr std::size_t period = 16;

  Pattern(DType type, double eps, std::size_t times) : times_(times), x_(period * times) {
    constexpr std::size_t patterns = 1 << 16;
    const double rstd = 1 / std::sqrt(21.25 + eps);
    for (std::size_t p = 0; p < period; ++p) {
      const double x = static_cast<double>(p) - 7.5;
      const double y = x * rstd;
      const double tolerance = value_tolerance(type, y, 1, 0, rstd);
      std::fill_n(x_.begin() + static_cast<std::ptrdiff_t>(p * times), times,
                  static_cast<std::uint16_t>(to_bits(type, x)));
      right_[p].resize(patterns);
      for (std::size_t bits = 0; bits < patterns; ++bits) {
        right_[p][bits] = std::abs(from_bits(type, bits) - y) <= tolerance ? 1 : 0;
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

/// x and y of a call without gamma and beta. Along a row, the pattern follows its elements; in a
/// channels-last tensor its positions, whose channels are all alike.
class PatternedTensors {
 public:
  explicit PatternedTensors(const NormDesc& desc)
      : pattern_(desc.x_type, desc.eps,
                 desc.layout == Layout::channels_last ? logical_shape(desc).c : 1),
        elements_(logical_shape(desc).elements()),
        x_(allocate(bytes())),
        y_(allocate(bytes())) {
    fill_x();
  }

  /// Empty, or why the device has no room for them.
  static std::string why_no_room(const NormDesc& desc) {
    const std::size_t wanted = 2 * logical_shape(desc).elements() * sizeof(std::uint16_t);
    std::size_t free = 0;
    std::size_t total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    if (free >= wanted + (std::size_t{1} << 30)) return {};
    return "needs " + std::to_string(wanted >> 30) + " GiB of device memory, " +
           std::to_string(free >> 30) + " are free";
  }

  std::size_t bytes() const noexcept { return elements_ * sizeof(std::uint16_t); }

  NormArgs args() const {
    NormArgs args;
    args.x = x_.get();
    args.y = y_.get();
    return args;
  }

  /// Executes the plan.
  void expect_right(const Plan& plan) const {
    SCOPED_TRACE(plan.describe());
    check_cuda(cudaMemset(y_.get(), 0xFF, bytes()), "cudaMemset");
    const GarbageWorkspace workspace(target_memory(), plan.workspace_bytes());
    const Status status = plan.execute(args(), workspace.data(), workspace.size());
    ASSERT_TRUE(status.ok()) << status.message();
    const std::size_t most = (std::size_t{1} << 28) / pattern_.x().size() * pattern_.x().size();
    std::vector<std::uint16_t> slice;
    for (std::size_t begin = 0; begin < elements_; begin += most) {
      slice.resize(std::min(most, elements_ - begin));
      target_memory().read(slice.data(), static_cast<const std::uint16_t*>(y_.get()) + begin,
                           slice.size() * sizeof(std::uint16_t));
      ASSERT_EQ(pattern_.count_wrong(slice), 0) << "in the elements from " << begin << " on";
    }
  }

 private:
  using DeviceBlock = std::unique_ptr<void, void (*)(void*)>;

  static DeviceBlock allocate(std::size_t bytes) {
    return {device_memory().allocate(bytes), [](void* block) { device_memory().release(block); }};
  }

  /// Repeats the pattern, doubling what is there.
  void fill_x() {
    auto* base = static_cast<std::uint8_t*>(x_.get());
    std::size_t done = pattern_.x().size() * sizeof(std::uint16_t);
    device_memory().write(base, pattern_.x().data(), done);
    while (done < bytes()) {
      const std::size_t more = std::min(done, bytes() - done);
      check_cuda(cudaMemcpy(base + done, base, more, cudaMemcpyDeviceToDevice), "cudaMemcpy");
      done += more;
    }
  }

  Pattern pattern_;
  std::size_t elements_;
  DeviceBlock x_;
  DeviceBlock y_;
};

}  // namespace fastnorm::test
