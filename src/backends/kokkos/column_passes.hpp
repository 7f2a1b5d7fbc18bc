// SPDX-License-Identifier: Apache-2.0
/// The two passes over a matrix of positions by columns (channels-last tensors, above all), by one
/// host thread: neighbouring columns are neighbours in memory, so loops run over them and vectorise
/// whatever the groups are. Where columns are few, loops run over several positions as over one
/// that has as many times the columns (column_fold.hpp): it is `folded`, and its columns are lanes.
#pragma once

#include "backends/kokkos/epilogue.hpp"
#include "backends/kokkos/isa.hpp"
#include "backends/kokkos/prefetch.hpp"
#include "backends/kokkos/row_input.hpp"
#include "backends/kokkos/write_run.hpp"
#include "core/column_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

/// Lanes of a tile, whose sums stay in the first-level cache while positions pass.
inline constexpr std::int64_t tile_lanes = 512;
static_assert(tile_lanes <= chunk_len);

/// Folded positions whose sums share a pivot, which is the first of them: an outlier there spoils
/// no more than these, and belongs to them itself.
inline constexpr std::int64_t positions_of_pivot = 64;

/// Some positions of a sample's tile.
struct ColumnTile {
  std::int64_t sample;
  std::int64_t column;  ///< The first,
  std::int64_t columns;
  std::int64_t begin;  ///< first position,
  std::int64_t end;
  std::int64_t fold;  ///< Positions that are handled as one. More than one lie without gaps.

  std::int64_t lanes() const { return columns * fold; }
};

namespace column_passes_detail {

/// Element of x that a tile's lanes begin with at a position.
inline std::int64_t first_element(const ColumnMatrix& matrix, const ColumnTile& tile,
                                  std::int64_t position) {
  return tile.sample * matrix.x_sample + position * matrix.x_position + tile.column;
}

/// h of a tile's lanes from a position on: in x itself where that is plain, else in `buffer`.
template <class Acc>
const Acc* read_position(const Normalization& call, const ColumnMatrix& matrix,
                         const ColumnTile& tile, std::int64_t position, Acc* buffer) {
  return read_block(call, first_element(matrix, tile, position), tile.lanes(), buffer);
}

/// Has what lies in x there fetched, if there is such a position.
inline void fetch_position(const Normalization& call, const ColumnMatrix& matrix,
                           const ColumnTile& tile, std::int64_t position) {
  if (position >= matrix.positions) return;
  const std::size_t size = size_of(call.x_type);
  const auto at = static_cast<std::size_t>(first_element(matrix, tile, position));
  prefetch(static_cast<const unsigned char*>(call.tensors.x) + at * size,
           static_cast<std::size_t>(tile.lanes()) * size);
}

/// Sums about a pivot, of each lane.
template <class Acc>
struct ColumnSums {
  Acc pivot[tile_lanes];
  Acc deviations[tile_lanes];
  Acc squares[tile_lanes];

  void clear(std::int64_t lanes) {
    std::fill_n(deviations, lanes, Acc{0});
    std::fill_n(squares, lanes, Acc{0});
  }

  void add(const Acc* h, std::int64_t lanes) {
    for (std::int64_t i = 0; i < lanes; ++i) {
      const Acc d = h[i] - pivot[i];
      deviations[i] += d;
      squares[i] += d * d;
    }
  }

  /// Four positions in one pass over the sums.
  void add(const Acc* a, const Acc* b, const Acc* c, const Acc* d, std::int64_t lanes) {
    for (std::int64_t i = 0; i < lanes; ++i) {
      const Acc of_a = a[i] - pivot[i];
      const Acc of_b = b[i] - pivot[i];
      const Acc of_c = c[i] - pivot[i];
      const Acc of_d = d[i] - pivot[i];
      deviations[i] += (of_a + of_b) + (of_c + of_d);
      squares[i] += (of_a * of_a + of_b * of_b) + (of_c * of_c + of_d * of_d);
    }
  }
};

/// Each lane's moments. All have as many elements.
struct ColumnMoments {
  double count = 0;
  double mean[tile_lanes];
  double m2[tile_lanes];

  void clear(std::int64_t lanes) {
    count = 0;
    std::fill_n(mean, lanes, 0.0);
    std::fill_n(m2, lanes, 0.0);
  }

  /// Merges `positions` more, as merge(Moments&, const Moments&) does. With one weight for all.
  template <class Acc>
  void add(const ColumnSums<Acc>& sums, double positions, std::int64_t lanes) {
    const double share = 1 / positions;
    const double weight = positions / (count + positions);
    const double of_square = count * weight;
    for (std::int64_t i = 0; i < lanes; ++i) {
      const auto sum = static_cast<double>(sums.deviations[i]);
      const double part_mean = static_cast<double>(sums.pivot[i]) + sum * share;
      const double part_m2 = static_cast<double>(sums.squares[i]) - sum * sum * share;
      const double delta = part_mean - mean[i];
      mean[i] += delta * weight;
      m2[i] += (part_m2 < 0 ? 0 : part_m2) + delta * delta * of_square;
    }
    count += positions;
  }

  /// Makes one of every `columns`-th lane: those of a column.
  void fold(std::int64_t columns, std::int64_t lanes) {
    if (lanes == columns) return;
    for (std::int64_t c = 0; c < columns; ++c) {
      const Moments column = of_lanes(c, lanes, columns);
      mean[c] = column.mean;
      m2[c] = column.m2;
    }
    count *= static_cast<double>(lanes / columns);
  }

  /// Of neighbouring columns.
  Moments of_group(std::int64_t begin, std::int64_t end) const { return of_lanes(begin, end, 1); }

 private:
  Moments of_lanes(std::int64_t begin, std::int64_t end, std::int64_t step) const {
    double total = 0;
    for (std::int64_t i = begin; i < end; i += step) total += mean[i];
    const auto lanes = static_cast<double>((end - begin + step - 1) / step);
    const double centre = total / lanes;
    double squares = 0;
    double between = 0;
    for (std::int64_t i = begin; i < end; i += step) {
      const double delta = mean[i] - centre;
      squares += m2[i];
      between += delta * delta;
    }
    return {lanes * count, centre, squares + between * count};
  }
};

template <class Acc>
bool all_finite(const Acc* values, std::int64_t count) {
  // 0 times a number is 0, but for what is no finite one.
  Acc zeros = 0;
  for (std::int64_t i = 0; i < count; ++i) zeros += values[i] * Acc{0};
  return zeros == 0;
}

/// Sums of up to positions_of_pivot folded positions, in the type Sum. The tile has no others.
template <class Sum, class Acc>
void sum_positions(const Normalization& call, const ColumnMatrix& matrix, const ColumnTile& tile,
                   ColumnSums<Sum>& sums) {
  constexpr int at_once = 4;
  Acc buffers[at_once][tile_lanes];
  const auto read = [&](std::int64_t position, int buffer) {
    return read_position(call, matrix, tile, position, buffers[buffer]);
  };
  const std::int64_t lanes = tile.lanes();
  const std::int64_t fold = tile.fold;
  sums.clear(lanes);
  if (call.statistics == Statistics::mean_variance) {
    const Acc* first = read(tile.begin, 0);
    for (std::int64_t i = 0; i < lanes; ++i) sums.pivot[i] = static_cast<Sum>(first[i]);
  } else {
    std::fill_n(sums.pivot, lanes, Sum{0});
  }
  std::int64_t position = tile.begin;
  if constexpr (std::is_same_v<Sum, Acc>) {
    for (; position + at_once * fold <= tile.end; position += at_once * fold) {
      // Of reads that go on in four places at once, processors foresee little.
      for (int next = at_once; next < 2 * at_once; ++next) {
        fetch_position(call, matrix, tile, position + next * fold);
      }
      const Acc* a = read(position, 0);
      const Acc* b = read(position + fold, 1);
      const Acc* c = read(position + 2 * fold, 2);
      const Acc* d = read(position + 3 * fold, 3);
      sums.add(a, b, c, d, lanes);
    }
    for (; position < tile.end; position += fold) sums.add(read(position, 0), lanes);
  } else {
    Sum wide[tile_lanes];
    for (; position < tile.end; position += fold) {
      const Acc* h = read(position, 0);
      for (std::int64_t i = 0; i < lanes; ++i) wide[i] = static_cast<Sum>(h[i]);
      sums.add(wide, lanes);
    }
  }
  // Squares about 0, with a mean of 0: moments that merge like any others.
  if (call.statistics == Statistics::mean_square) {
    std::fill_n(sums.deviations, lanes, Sum{0});
  }
}

/// Anew for the lanes whose squares are not finite. The others' are as they would be beside better
/// neighbours, to the last bit.
inline ColumnSums<double> sums_in_double(const Normalization& call, const ColumnMatrix& matrix,
                                         const ColumnTile& tile, const ColumnSums<float>& sums) {
  ColumnSums<double> wide;
  sum_positions<double, float>(call, matrix, tile, wide);
  for (std::int64_t i = 0; i < tile.lanes(); ++i) {
    if (!std::isfinite(sums.squares[i])) continue;
    wide.pivot[i] = static_cast<double>(sums.pivot[i]);
    wide.deviations[i] = static_cast<double>(sums.deviations[i]);
    wide.squares[i] = static_cast<double>(sums.squares[i]);
  }
  return wide;
}

/// Of a tile of folded positions that are whole.
template <class Acc, class Piece>
void moments_of_whole(const Normalization& call, const ColumnMatrix& matrix, const ColumnTile& tile,
                      const Piece& piece) {
  const std::int64_t lanes = tile.lanes();
  ColumnMoments moments;
  moments.clear(lanes);
  ColumnTile part = tile;
  for (std::int64_t i = tile.begin; i < tile.end; i = part.end) {
    part.begin = i;
    part.end = std::min(i + positions_of_pivot * tile.fold, tile.end);
    const auto positions = static_cast<double>((part.end - part.begin) / tile.fold);
    ColumnSums<Acc> sums;
    sum_positions<Acc, Acc>(call, matrix, part, sums);
    if constexpr (std::is_same_v<Acc, float>) {
      // Squares beyond a float's range, or NaN and Inf, which come out as NaN.
      if (!all_finite(sums.squares, lanes)) {
        moments.add(sums_in_double(call, matrix, part, sums), positions, lanes);
        continue;
      }
    }
    moments.add(sums, positions, lanes);
  }
  moments.fold(tile.columns, lanes);
  const std::int64_t end = tile.column + tile.columns;
  for (std::int64_t column = tile.column; column < end;) {
    const std::int64_t group = column / matrix.group_width;
    const std::int64_t group_end = std::min((group + 1) * matrix.group_width, end);
    piece(group, moments.of_group(column - tile.column, group_end - tile.column));
    column = group_end;
  }
}

}  // namespace column_passes_detail

/// Moments of a tile's pieces of groups: piece(group, moments), once or twice for each.
template <class Acc, class Piece>
void column_moments(const Normalization& call, const ColumnMatrix& matrix, const ColumnTile& tile,
                    const Piece& piece) {
  using column_passes_detail::moments_of_whole;
  // What is left at the end is one position, folded from fewer.
  const std::int64_t rest = (tile.end - tile.begin) % tile.fold;
  ColumnTile part = tile;
  part.end = tile.end - rest;
  if (part.begin < part.end) moments_of_whole<Acc>(call, matrix, part, piece);
  if (rest == 0) return;
  part.begin = part.end;
  part.end = tile.end;
  part.fold = rest;
  moments_of_whole<Acc>(call, matrix, part, piece);
}

namespace column_passes_detail {

/// How each of a tile's lanes is standardised, and its affine map where that is the column's.
template <class Acc>
struct ColumnLines {
  Acc centre[tile_lanes];
  Acc scale[tile_lanes];
  Acc shift[tile_lanes];
  Acc factor[tile_lanes];
  Acc offset[tile_lanes];
};

/// Makes of the first `period` values `count`, which repeat.
template <class Acc>
void repeat(Acc* values, std::int64_t period, std::int64_t count) {
  for (std::int64_t filled = period; filled < count; filled *= 2) {
    std::copy_n(values, std::min(filled, count - filled), values + filled);
  }
}

/// standardizer_of(group) is a group's.
template <class Acc, class StandardizerOf>
void fill_lines(const Normalization& call, const ColumnMatrix& matrix, const ColumnTile& tile,
                const StandardizerOf& standardizer_of, ColumnLines<Acc>& lines) {
  const bool by_column = matrix.affine == AffineAxis::column;
  const bool composes = by_column && !call.rounds_normalised();
  const std::int64_t end = tile.column + tile.columns;
  for (std::int64_t column = tile.column; column < end;) {
    const std::int64_t group = column / matrix.group_width;
    const std::int64_t begin = group * matrix.group_width;
    const std::int64_t count = std::min(begin + matrix.group_width, end) - column;
    const std::int64_t at = column - tile.column;
    if (by_column) {
      read_channels(call, tile.sample * matrix.groups + group, column - begin, count,
                    lines.factor + at, lines.offset + at);
    }
    const Standardizer<Acc> standardizer = standardizer_of(group);
    for (std::int64_t c = at; c < at + count; ++c) {
      const auto line = composes ? standardizer.line(lines.factor[c], lines.offset[c])
                                 : standardizer.line(Acc{1}, Acc{0});
      lines.centre[c] = line.centre;
      lines.scale[c] = line.scale;
      lines.shift[c] = line.shift;
    }
    column += count;
  }
  for (Acc* values : {lines.centre, lines.scale, lines.shift}) {
    repeat(values, tile.columns, tile.lanes());
  }
  if (!by_column) return;
  for (Acc* values : {lines.factor, lines.offset}) repeat(values, tile.columns, tile.lanes());
}

/// The affine maps of `count` positions, where they are the positions'.
template <class Acc>
struct PositionMaps {
  Acc factor[tile_lanes];
  Acc offset[tile_lanes];
};

/// Results of `count` positions' columns; `out` may be `h`.
template <class Acc>
void map_positions(const Normalization& call, const ColumnMatrix& matrix,
                   const ColumnLines<Acc>& lines, const PositionMaps<Acc>& maps, const Acc* h,
                   std::int64_t columns, std::int64_t count, Acc* out) {
  const std::int64_t lanes = columns * count;
  for (std::int64_t i = 0; i < lanes; ++i) {
    out[i] = (h[i] - lines.centre[i]) * lines.scale[i] + lines.shift[i];
  }
  if (call.rounds_normalised()) round_run(call.affine_type, out, lanes);
  if (matrix.affine == AffineAxis::position) {
    Acc* to = out;
    for (std::int64_t p = 0; p < count; ++p, to += columns) {
      for (std::int64_t c = 0; c < columns; ++c) to[c] = to[c] * maps.factor[p] + maps.offset[p];
    }
  } else if (call.rounds_normalised()) {
    for (std::int64_t i = 0; i < lanes; ++i) out[i] = out[i] * lines.factor[i] + lines.offset[i];
  }
  activate(call.epilogue, out, lanes);
}

}  // namespace column_passes_detail

/// Writes a tile's y, and its sum where that is wanted. In place is safe: a folded position's
/// elements are read before any of them is written.
template <class Acc, class StandardizerOf>
void apply_columns(const Normalization& call, const ColumnMatrix& matrix, const ColumnTile& tile,
                   const StandardizerOf& standardizer_of) {
  using namespace column_passes_detail;
  ColumnLines<Acc> lines;
  fill_lines(call, matrix, tile, standardizer_of, lines);
  PositionMaps<Acc> maps;
  Acc buffer[tile_lanes];
  const bool straight = call.y_type == dtype_of<Acc> && call.stores == Stores::cached;
  for (std::int64_t position = tile.begin; position < tile.end; position += tile.fold) {
    // At the end there may be fewer, which meet the first of the lines.
    const std::int64_t count = std::min(tile.fold, tile.end - position);
    const std::int64_t lanes = tile.columns * count;
    const std::int64_t x_at =
        tile.sample * matrix.x_sample + position * matrix.x_position + tile.column;
    const std::int64_t y_at =
        tile.sample * matrix.y_sample + position * matrix.y_position + tile.column;
    const Acc* h = read_block(call, x_at, lanes, buffer);
    if (call.tensors.sum != nullptr) {
      write_run(call.stores, call.x_type, h, lanes, call.tensors.sum, x_at);
    }
    if (matrix.affine == AffineAxis::position) {
      const std::int64_t row = tile.sample * matrix.groups + tile.column / matrix.group_width;
      read_channels(call, row, position, count, maps.factor, maps.offset);
    }
    Acc* out = straight ? static_cast<Acc*>(call.tensors.y) + y_at : buffer;
    map_positions(call, matrix, lines, maps, h, tile.columns, count, out);
    if (!straight) write_run(call.stores, call.y_type, buffer, lanes, call.tensors.y, y_at);
  }
}

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
