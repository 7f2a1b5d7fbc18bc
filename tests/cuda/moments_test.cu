// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the moments, as the kernels' threads, lanes and warps combine them, on the
// host.
#include "backends/cuda/device/moments.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace fastnorm::cuda {
namespace {

template <class Acc>
using Parts = std::vector<PartMoments<Acc>>;

/// What merge_lanes() does with a warp's parts, and merge_warps() with a block's.
template <class Acc>
PartMoments<Acc> merge_parts(const Parts<Acc>& parts) {
  PivotSums<Acc> sums;
  Acc count = 0;
  for (const PartMoments<Acc>& part : parts) {
    sums.add(part, parts.front().distance(part));
    count += part.count;
  }
  return sums.settle(parts.front().pivot, parts.front().offset, count);
}

template <class Acc>
struct Thread {
  ThreadMoments<Acc> moments;
  PartMoments<Acc> handed_on;
  int chunks = 0;

  template <int kChunk>
  void add(const Acc (&values)[kChunk], Statistics statistics) {
    moments.add(values, statistics);
    if (++chunks % chunks_before_merge != 0) return;
    handed_on = merge(handed_on, moments.part());
    moments = {};
  }
  PartMoments<Acc> part() const { return merge(handed_on, moments.part()); }
};

/// A row as a block of `warps` warps takes it, kVec elements a load; `warps` 0 is one thread.
template <int kVec, class Acc>
PartMoments<Acc> moments_of(const std::vector<Acc>& row, int warps, Statistics statistics) {
  const std::size_t threads = warps == 0 ? 1 : 32 * static_cast<std::size_t>(warps);
  std::vector<Thread<Acc>> of_thread(threads);
  const std::size_t vectors = row.size() / kVec;
  for (std::size_t v = 0; v < vectors; ++v) {
    Acc values[kVec];
    std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(v * kVec), kVec, values);
    of_thread[v % threads].add(values, statistics);
  }
  for (std::size_t i = vectors * kVec; i < row.size(); ++i) {
    const Acc value[1] = {row[i]};
    of_thread[(i - vectors * kVec) % threads].add(value, statistics);
  }
  if (warps == 0) return of_thread[0].part();
  Parts<Acc> of_warp;
  for (int w = 0; w < warps; ++w) {
    Parts<Acc> of_lane;
    for (int lane = 0; lane < 32; ++lane) {
      of_lane.push_back(of_thread[static_cast<std::size_t>(32 * w + lane)].part());
    }
    of_warp.push_back(merge_parts(of_lane));
  }
  return merge_parts(of_warp);
}

struct Exact {
  long double mean = 0;
  long double variance = 0;
  long double mean_square = 0;
};

template <class Acc>
Exact exact(const std::vector<Acc>& row) {
  Exact e;
  const auto n = static_cast<long double>(row.size());
  for (const Acc v : row) e.mean += v;
  e.mean /= n;
  for (const Acc v : row) {
    e.variance += (v - e.mean) * (v - e.mean) / n;
    e.mean_square += static_cast<long double>(v) * v / n;
  }
  return e;
}

/// The mean to a share of a standard deviation, and rstd to a share of itself, well inside of what
/// an output may be off by.
template <class Acc>
void expect_right(const std::vector<Acc>& row, const std::string& what) {
  constexpr bool single = sizeof(Acc) == 4;
  constexpr long double share = single ? 1.2e-5L : 1e-12L;
  constexpr long double rounding = single ? 0x1p-24L : 0x1p-53L;
  constexpr double eps = 1e-5;
  const Exact e = exact(row);
  const long double deviation = std::sqrt(e.variance + eps);
  for (const int warps : {0, 1, 4, 32}) {
    if (warps == 0 && row.size() > 5000) continue;  // No thread has that many to itself.
    SCOPED_TRACE(what + " by " + std::to_string(warps) + " warps");
    const auto got = finish(moments_of<4>(row, warps, Statistics::mean_variance),
                            Statistics::mean_variance, eps);
    const long double mean = static_cast<long double>(got.mean) + got.mean_residual;
    EXPECT_LE(std::abs(mean - e.mean), share * deviation + rounding * std::abs(e.mean) * 1e-3L);
    EXPECT_LE(std::abs(got.rstd * deviation - 1), share);
    const auto square =
        finish(moments_of<4>(row, warps, Statistics::mean_square), Statistics::mean_square, eps);
    EXPECT_EQ(square.mean, 0);
    EXPECT_LE(std::abs(square.rstd * std::sqrt(e.mean_square + eps) - 1), share);
  }
}

template <class Acc>
std::vector<Acc> normal(std::size_t count, double mean, double deviation) {
  std::mt19937_64 engine(count);
  std::normal_distribution<double> draw(mean, deviation);
  std::vector<Acc> values(count);
  for (Acc& v : values) v = static_cast<Acc>(draw(engine));
  return values;
}

template <class Acc>
class Moments : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Moments, Types);

TYPED_TEST(Moments, OfAnyLength) {
  for (const std::size_t count : {1, 2, 3, 4, 5, 31, 127, 128, 129, 1000, 4096, 40000, 300000}) {
    expect_right(normal<TypeParam>(count, 0.3, 1.2), std::to_string(count) + " elements");
  }
}

TYPED_TEST(Moments, OfAMeanFarAboveTheDeviation) {
  for (const double mean : {1e2, -1e4, 1e6}) {
    expect_right(normal<TypeParam>(5000, mean, 1.5), "mean " + std::to_string(mean));
  }
}

TYPED_TEST(Moments, OfADriftingMean) {
  std::vector<TypeParam> row = normal<TypeParam>(60000, 0, 1);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] += static_cast<TypeParam>(i) / 200;
  expect_right(row, "drift");
}

// Equal chunks: what rounding does to one sum, it does to all.
TYPED_TEST(Moments, OfAPeriod) {
  std::vector<TypeParam> row(300000);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<TypeParam>(i % 2 * 2.00548);
  expect_right(row, "period");
}

// Whatever is taken as a pivot may be the least typical of all.
TYPED_TEST(Moments, OfOutliersWherePivotsAreTaken) {
  for (const std::size_t count : {64, 4096, 65536}) {
    for (const std::size_t outliers : {1, 4, 32, 128}) {
      if (outliers * 2 > count) continue;
      for (const double size : {30.0, 1e4, 1e7}) {
        std::vector<TypeParam> row = normal<TypeParam>(count, 1, 1);
        for (std::size_t i = 0; i < outliers; ++i) row[i] = static_cast<TypeParam>(size);
        expect_right(row, std::to_string(outliers) + " of " + std::to_string(count) + " are " +
                              std::to_string(size));
      }
    }
  }
}

TYPED_TEST(Moments, OfAConstant) {
  for (const double value : {0.0, 1234.567, -1e-30, 3e38}) {
    const std::vector<TypeParam> row(777, static_cast<TypeParam>(value));
    for (const int warps : {0, 4}) {
      const auto got = finish(moments_of<4>(row, warps, Statistics::mean_variance),
                              Statistics::mean_variance, 1e-12);
      EXPECT_EQ(got.mean, row[0]);
      EXPECT_NEAR(static_cast<double>(got.rstd), 1e6, 1);
    }
  }
}

TYPED_TEST(Moments, BeyondTheTypeAreNaN) {
  constexpr TypeParam large = sizeof(TypeParam) == 4 ? TypeParam(1e30) : TypeParam(1e200);
  const std::vector<TypeParam> row = {-2 * large, -large, large, 2 * large};
  for (const Statistics statistics : {Statistics::mean_variance, Statistics::mean_square}) {
    EXPECT_TRUE(std::isnan(finish(moments_of<4>(row, 1, statistics), statistics, 1e-5).rstd));
  }
}

TYPED_TEST(Moments, OfNaNAndInfinityAreNaN) {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    for (const std::size_t place : {0, 1, 500, 999}) {
      std::vector<TypeParam> row = normal<TypeParam>(1000, 0, 1);
      row[place] = static_cast<TypeParam>(bad);
      const auto got =
          finish(moments_of<4>(row, 4, Statistics::mean_variance), Statistics::mean_variance, 1e-5);
      EXPECT_TRUE(std::isnan(got.rstd)) << bad << " at " << place;
    }
  }
}

}  // namespace
}  // namespace fastnorm::cuda
