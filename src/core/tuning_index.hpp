// SPDX-License-Identifier: Apache-2.0
/// Finds the entries of a file whose shape is near a problem's without looking at the others.
#pragma once

#include "core/tuning_key.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fastnorm {

struct TuningEntry;
struct TuningQuery;

/// An entry and how near it is; better ones first.
struct TuningNeighbour {
  std::size_t entry = 0;   ///< Position in the file.
  int alignment_gap = 0;   ///< Powers of two that the entry's alignment is less than the query's.
  bool in_bucket = false;  ///< The shapes differ in n at most, and there is no gap.
  double distance = 0;  ///< Of the shapes: |log2 of the rows' ratio| + |log2 of the row lengths'|.
  bool same_shape = false;     ///< And not merely as many rows of the same length.
  bool same_epilogue = false;  ///< And not merely the same tensors.
  double median_us = 0;

  friend bool operator<(const TuningNeighbour& a, const TuningNeighbour& b);
};

/// Entries are grouped by what must agree; each group is a k-d tree over log2 of rows and row
/// length.
class TuningIndex {
 public:
  explicit TuningIndex(const std::vector<TuningEntry>& entries);

  /// The best entries that say something about the query, at most `most`, best first.
  std::vector<TuningNeighbour> find_near(const TuningQuery& query, std::size_t most) const;

 private:
  class Search;

  /// An entry's place, with what a search asks of the entry: those of a group lie side by side, as
  /// the entries themselves do not. Within a group the points are in the order of the tree: a
  /// range's middle one splits the others along `axis`, unless those are few.
  struct Point {
    std::array<double, 2> at = {};
    TuningShape shape;
    double median_us = 0;
    std::size_t entry = 0;
    EpilogueKey epilogue;
    std::uint8_t axis = 0;
  };
  struct Group {
    std::uint64_t code = 0;
    std::size_t first = 0;
    std::size_t last = 0;
  };

  void build_tree(std::size_t first, std::size_t last);

  std::vector<std::string> backends_;  ///< A back end's number in a code is its position.
  std::vector<Group> groups_;          ///< Sorted by code.
  std::vector<Point> points_;
};

}  // namespace fastnorm
