// SPDX-License-Identifier: Apache-2.0
#include "core/tuning_index.hpp"

#include "core/tuning_db.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace fastnorm {
namespace {

/// The farthest entry that counts: a factor of two in all (and what rounding adds). Configurations
/// hold threads and blocks per row, which are chosen in powers of two for the rows and the row
/// length at hand, so that up to there the best choice is the neighbour's or the one next to it.
/// Farther away (half the rows with the same blocks per row leave half the processors idle) the
/// heuristic, which counts waves, knows better.
constexpr double farthest = 1.0 + 1e-9;

/// What a block can hold of a row, in shared memory or registers, on the chips that we know.
constexpr double on_chip_bytes = 200.0 * 1024;

/// So few points are looked at one after the other: faster than walking a tree of them.
constexpr std::size_t leaf = 8;

/// The widest access of a kernel; alignment beyond it changes nothing.
constexpr int widest_access = 16;

/// In floating point, because nothing bounds the products of what a file holds.
struct Rows {
  double count = 0;
  double length = 0;

  static Rows of(const TuningShape& shape) {
    return {static_cast<double>(shape.n) * static_cast<double>(shape.groups),
            static_cast<double>(shape.c / shape.groups) * static_cast<double>(shape.inner)};
  }
  std::array<double, 2> place() const { return {std::log2(count), std::log2(length)}; }
};

/// Whether a second read of a row, and of the whole tensor, meets a cache. The best strategy
/// changes where it no longer does, so that an entry on the one side says nothing about the other.
struct Regime {
  bool row_on_chip = false;
  bool tensor_in_l2 = false;

  static Regime of(const Rows& rows, const TuningKey& key, const DeviceInfo& device) {
    const auto x_size = static_cast<double>(size_of(key.x_type));
    const auto y_size = static_cast<double>(size_of(key.y_type));
    const double residual_size = key.epilogue.residual == Residual::none ? 0 : x_size;
    const double moved = rows.count * rows.length * (x_size + residual_size + y_size);
    return {rows.length * x_size <= on_chip_bytes, moved <= static_cast<double>(device.l2_bytes)};
  }
  friend bool operator==(const Regime& a, const Regime& b) {
    return a.row_on_chip == b.row_on_chip && a.tensor_in_l2 == b.tensor_in_l2;
  }
};

bool is_possible(const TuningShape& shape) {
  return shape.n > 0 && shape.groups > 0 && shape.c >= shape.groups && shape.inner > 0;
}

bool same_sample(const TuningShape& a, const TuningShape& b) {
  return a.c == b.c && a.groups == b.groups && a.inner == b.inner;
}

int log2_of_alignment(int alignment) {
  int log2 = 0;
  for (int wide = std::min(alignment, widest_access); wide > 1; wide /= 2) ++log2;
  return log2;
}

/// Everything that must agree, as a number. The key's back end, alignment and determinism are given
/// apart: a query tries several.
std::uint64_t code_of(std::size_t backend, const TuningKey& key, std::int64_t inner,
                      int log2_alignment, bool deterministic) {
  std::uint64_t code = backend;
  const auto append = [&code](auto value, unsigned bits) {
    code = (code << bits) | static_cast<std::uint64_t>(value);
  };
  append(key.op, 8);
  append(key.x_type, 8);
  append(key.y_type, 8);
  append(key.affine_type, 8);
  append(key.layout, 8);
  // An activation costs no bandwidth, another tensor does.
  append(key.epilogue.residual != Residual::none, 1);
  append(key.epilogue.modulation != Modulation::none, 1);
  // With one element a channel every element has a gamma of its own to load.
  append(inner == 1, 1);
  append(log2_alignment, 3);
  append(deterministic, 1);
  return code;
}

}  // namespace

bool operator<(const TuningNeighbour& a, const TuningNeighbour& b) {
  // An entry tuned for narrower accesses is a weaker hit than any for the right ones. Then what
  // suits a row counts for more than how many there are.
  if (a.alignment_gap != b.alignment_gap) return a.alignment_gap < b.alignment_gap;
  if (a.in_bucket != b.in_bucket) return a.in_bucket;
  if (a.distance != b.distance) return a.distance < b.distance;
  if (a.same_shape != b.same_shape) return a.same_shape;
  if (a.same_epilogue != b.same_epilogue) return a.same_epilogue;
  return std::tie(a.median_us, a.entry) < std::tie(b.median_us, b.entry);
}

/// One walk through the trees, with the best of what it has met.
class TuningIndex::Search {
 public:
  Search(const TuningIndex& index, const TuningQuery& query, std::size_t most)
      : index_(index),
        query_(query),
        most_(most),
        at_(Rows::of(query.shape).place()),
        regime_(Regime::of(Rows::of(query.shape), query.key, *query.device)) {
    best_.reserve(most + 1);
  }

  /// `beyond`: how far away the range is at least, along each axis.
  void visit(std::size_t first, std::size_t last, int alignment_gap,
             std::array<double, 2> beyond = {}) {
    while (first < last) {
      const bool may_hold_the_bucket = alignment_gap == 0 && beyond[1] == 0;
      if (is_too_far(alignment_gap, may_hold_the_bucket, beyond[0] + beyond[1])) return;
      if (last - first <= leaf) {
        for (; first < last; ++first) consider(index_.points_[first], alignment_gap);
        return;
      }
      const std::size_t middle = first + (last - first) / 2;
      const Point& point = index_.points_[middle];
      consider(point, alignment_gap);
      const auto axis = static_cast<std::size_t>(point.axis);
      const double offset = at_[axis] - point.at[axis];
      std::pair<std::size_t, std::size_t> near(first, middle);
      std::pair<std::size_t, std::size_t> far(middle + 1, last);
      if (offset > 0) std::swap(near, far);
      // The near side first: it may bring the far one out of reach.
      visit(near.first, near.second, alignment_gap, beyond);
      beyond[axis] = std::abs(offset);
      std::tie(first, last) = far;
    }
  }

  std::vector<TuningNeighbour> take() && { return std::move(best_); }

 private:
  bool is_too_far(int alignment_gap, bool in_bucket, double distance) const {
    if (distance > farthest) return true;
    if (best_.size() < most_) return false;
    const TuningNeighbour& last = best_.back();
    if (alignment_gap != last.alignment_gap) return alignment_gap > last.alignment_gap;
    if (in_bucket != last.in_bucket) return last.in_bucket;
    return distance > last.distance;
  }

  void consider(const Point& point, int alignment_gap) {
    const double distance = std::abs(at_[0] - point.at[0]) + std::abs(at_[1] - point.at[1]);
    const bool may_be_in_bucket = alignment_gap == 0 && at_[1] == point.at[1];
    if (is_too_far(alignment_gap, may_be_in_bucket, distance)) return;
    if (!(Regime::of(Rows::of(point.shape), query_.key, *query_.device) == regime_)) return;
    const TuningNeighbour neighbour{point.entry,
                                    alignment_gap,
                                    may_be_in_bucket && same_sample(point.shape, query_.shape),
                                    distance,
                                    point.shape == query_.shape,
                                    point.epilogue == query_.key.epilogue,
                                    point.median_us};
    best_.insert(std::upper_bound(best_.begin(), best_.end(), neighbour), neighbour);
    if (best_.size() > most_) best_.pop_back();
  }

  const TuningIndex& index_;
  const TuningQuery& query_;
  const std::size_t most_;
  const std::array<double, 2> at_;
  const Regime regime_;
  std::vector<TuningNeighbour> best_;
};

TuningIndex::TuningIndex(const std::vector<TuningEntry>& entries) {
  std::vector<std::pair<std::uint64_t, Point>> coded;
  coded.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const TuningKey& key = entries[i].key;
    const TuningShape& shape = entries[i].shape;
    if (!is_possible(shape)) continue;
    const auto known = std::find(backends_.begin(), backends_.end(), key.backend);
    const auto backend = static_cast<std::size_t>(known - backends_.begin());
    if (known == backends_.end()) backends_.push_back(key.backend);
    coded.emplace_back(
        code_of(backend, key, shape.inner, log2_of_alignment(key.alignment), key.deterministic),
        Point{Rows::of(shape).place(), shape, entries[i].stats.median_us, i, key.epilogue, 0});
  }
  std::sort(coded.begin(), coded.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.entry) < std::tie(b.first, b.second.entry);
  });

  points_.reserve(coded.size());
  for (const auto& [code, point] : coded) {
    if (groups_.empty() || groups_.back().code != code) {
      groups_.push_back({code, points_.size(), points_.size()});
    }
    points_.push_back(point);
    ++groups_.back().last;
  }
  for (const Group& group : groups_) build_tree(group.first, group.last);
}

void TuningIndex::build_tree(std::size_t first, std::size_t last) {
  if (last - first <= leaf) return;
  const auto begin = points_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = points_.begin() + static_cast<std::ptrdiff_t>(last);
  std::array<double, 2> spread = {};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto less = [axis](const Point& a, const Point& b) { return a.at[axis] < b.at[axis]; };
    const auto [least, most] = std::minmax_element(begin, end, less);
    spread[axis] = most->at[axis] - least->at[axis];
  }
  const std::size_t axis = spread[0] < spread[1] ? 1 : 0;
  const std::size_t middle = first + (last - first) / 2;
  std::nth_element(begin, points_.begin() + static_cast<std::ptrdiff_t>(middle), end,
                   [axis](const Point& a, const Point& b) { return a.at[axis] < b.at[axis]; });
  points_[middle].axis = static_cast<std::uint8_t>(axis);
  build_tree(first, middle);
  build_tree(middle + 1, last);
}

std::vector<TuningNeighbour> TuningIndex::find_near(const TuningQuery& query,
                                                    std::size_t most) const {
  const TuningKey& key = query.key;
  const auto known = std::find(backends_.begin(), backends_.end(), key.backend);
  if (known == backends_.end() || !is_possible(query.shape) || most == 0) return {};

  Search search(*this, query, most);
  const int widest = log2_of_alignment(key.alignment);
  // Wider accesses than the pointers allow are no suggestion.
  for (int log2_alignment = widest; log2_alignment >= 0; --log2_alignment) {
    for (const bool deterministic : {true, false}) {
      if (key.deterministic && !deterministic) continue;
      const std::uint64_t code = code_of(static_cast<std::size_t>(known - backends_.begin()), key,
                                         query.shape.inner, log2_alignment, deterministic);
      const auto group =
          std::lower_bound(groups_.begin(), groups_.end(), code,
                           [](const Group& g, std::uint64_t c) { return g.code < c; });
      if (group == groups_.end() || group->code != code) continue;
      search.visit(group->first, group->last, widest - log2_alignment);
    }
  }
  return std::move(search).take();
}

}  // namespace fastnorm
