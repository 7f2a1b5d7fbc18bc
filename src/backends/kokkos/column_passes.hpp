// SPDX-License-Identifier: Apache-2.0
/// The two passes over a matrix of positions by columns (channels-last tensors, above all), by one
/// host thread: neighbouring columns are neighbours in memory, so loops run over them and vectorise
/// whatever the groups are.
#pragma once

#include "backends/kokkos/epilogue.hpp"
#include "backends/kokkos/isa.hpp"
#include "backends/kokkos/row_input.hpp"
#include "backends/kokkos/write_run.hpp"
#include "core/column_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fastnorm::kokkos {
inline namespace FASTNORM_ISA {

/// Columns of a tile, whose sums stay in the first-level cache while positions pass.
inline constexpr std::int64_t tile_columns = 512;
static_assert(tile_columns <= chunk_len);

/// Positions whose sums share a pivot, which is the first of them: an outlier there spoils no more
/// than these, and belongs to them itself.
inline constexpr std::int64_t positions_of_pivot = 64;

/// Some positions of a sample's tile.
struct ColumnTile {
  std::int64_t sample;
  std::int64_t column;  ///< The first,
  std::int64_t columns;
  std::int64_t begin;  ///< first position,
  std::int64_t end;
};

namespace column_passes_detail {

/// h of a tile's columns at a position: in x itself where that is plain, else in `buffer`.
template <class Acc>
const Acc* read_position(const Normalization& call, const ColumnMatrix& matrix,
                         const ColumnTile& tile, std::int64_t position, Acc* buffer) {
  const std::int64_t at =
      tile.sample * matrix.x_sample + position * matrix.x_position + tile.column;
  return read_block(call, at, tile.columns, buffer);
}

/// Sums about a pivot, of each column.
template <class Acc>
struct ColumnSums {
  Acc pivot[tile_columns];
  Acc deviations[tile_columns];
  Acc squares[tile_columns];

  void clear(std::int64_t columns) {
    std::fill_n(deviations, columns, Acc{0});
    std::fill_n(squares, columns, Acc{0});
  }

  void add(const Acc* h, std::int64_t columns) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const Acc d = h[c] - pivot[c];
      deviations[c] += d;
      squares[c] += d * d;
    }
  }

  /// Four positions in one pass over the sums.
  void add(const Acc* a, const Acc* b, const Acc* c, const Acc* d, std::int64_t columns) {
    for (std::int64_t i = 0; i < columns; ++i) {
      const Acc of_a = a[i] - pivot[i];
      const Acc of_b = b[i] - pivot[i];
      const Acc of_c = c[i] - pivot[i];
      const Acc of_d = d[i] - pivot[i];
      deviations[i] += (of_a + of_b) + (of_c + of_d);
      squares[i] += (of_a * of_a + of_b * of_b) + (of_c * of_c + of_d * of_d);
    }
  }
};

/// Each column's moments. All have as many elements.
struct ColumnMoments {
  double count = 0;
  double mean[tile_columns];
  double m2[tile_columns];

  void clear(std::int64_t columns) {
    count = 0;
    std::fill_n(mean, columns, 0.0);
    std::fill_n(m2, columns, 0.0);
  }

  /// Merges `positions` more, as merge(Moments&, const Moments&) does. With one weight for all.
  template <class Acc>
  void add(const ColumnSums<Acc>& sums, double positions, std::int64_t columns) {
    const double share = 1 / positions;
    const double weight = positions / (count + positions);
    const double of_square = count * weight;
    for (std::int64_t c = 0; c < columns; ++c) {
      const auto sum = static_cast<double>(sums.deviations[c]);
      const double part_mean = static_cast<double>(sums.pivot[c]) + sum * share;
      const double part_m2 = static_cast<double>(sums.squares[c]) - sum * sum * share;
      const double delta = part_mean - mean[c];
      mean[c] += delta * weight;
      m2[c] += (part_m2 < 0 ? 0 : part_m2) + delta * delta * of_square;
    }
    count += positions;
  }

  /// Of neighbouring columns.
  Moments of_group(std::int64_t begin, std::int64_t end) const {
    double total = 0;
    for (std::int64_t c = begin; c < end; ++c) total += mean[c];
    const auto columns = static_cast<double>(end - begin);
    const double centre = total / columns;
    double squares = 0;
    double between = 0;
    for (std::int64_t c = begin; c < end; ++c) {
      const double delta = mean[c] - centre;
      squares += m2[c];
      between += delta * delta;
    }
    return {columns * count, centre, squares + between * count};
  }
};

template <class Acc>
bool all_finite(const Acc* values, std::int64_t count) {
  // 0 times a number is 0, but for what is no finite one.
  Acc zeros = 0;
  for (std::int64_t i = 0; i < count; ++i) zeros += values[i] * Acc{0};
  return zeros == 0;
}

/// Sums of up to positions_of_pivot positions, in the type Sum.
template <class Sum, class Acc>
void sum_positions(const Normalization& call, const ColumnMatrix& matrix, const ColumnTile& tile,
                   ColumnSums<Sum>& sums) {
  constexpr int at_once = 4;
  Acc buffers[at_once][tile_columns];
  const auto read = [&](std::int64_t position, int buffer) {
    return read_position(call, matrix, tile, position, buffers[buffer]);
  };
  sums.clear(tile.columns);
  if (call.statistics == Statistics::mean_variance) {
    const Acc* first = read(tile.begin, 0);
    for (std::int64_t c = 0; c < tile.columns; ++c) sums.pivot[c] = static_cast<Sum>(first[c]);
  } else {
    std::fill_n(sums.pivot, tile.columns, Sum{0});
  }
  std::int64_t position = tile.begin;
  if constexpr (std::is_same_v<Sum, Acc>) {
    for (; position + at_once <= tile.end; position += at_once) {
      const Acc* a = read(position, 0);
      const Acc* b = read(position + 1, 1);
      const Acc* c = read(position + 2, 2);
      const Acc* d = read(position + 3, 3);
      sums.add(a, b, c, d, tile.columns);
    }
    for (; position < tile.end; ++position) sums.add(read(position, 0), tile.columns);
  } else {
    Sum wide[tile_columns];
    for (; position < tile.end; ++position) {
      const Acc* h = read(position, 0);
      for (std::int64_t c = 0; c < tile.columns; ++c) wide[c] = static_cast<Sum>(h[c]);
      sums.add(wide, tile.columns);
    }
  }
  // Squares about 0, with a mean of 0: moments that merge like any others.
  if (call.statistics == Statistics::mean_square) {
    std::fill_n(sums.deviations, tile.columns, Sum{0});
  }
}

/// Anew for the columns whose squares are not finite. The others' are as they would be beside
/// better neighbours, to the last bit.
inline ColumnSums<double> sums_in_double(const Normalization& call, const ColumnMatrix& matrix,
                                         const ColumnTile& tile, const ColumnSums<float>& sums) {
  ColumnSums<double> wide;
  sum_positions<double, float>(call, matrix, tile, wide);
  for (std::int64_t c = 0; c < tile.columns; ++c) {
    if (!std::isfinite(sums.squares[c])) continue;
    wide.pivot[c] = static_cast<double>(sums.pivot[c]);
    wide.deviations[c] = static_cast<double>(sums.deviations[c]);
    wide.squares[c] = static_cast<double>(sums.squares[c]);
  }
  return wide;
}

}  // namespace column_passes_detail

/// Moments of a tile's pieces of groups: piece(group, moments).
template <class Acc, class Piece>
void column_moments(const Normalization& call, const ColumnMatrix& matrix, const ColumnTile& tile,
                    const Piece& piece) {
  using namespace column_passes_detail;
  ColumnMoments moments;
  moments.clear(tile.columns);
  ColumnTile part = tile;
  for (std::int64_t i = tile.begin; i < tile.end; i = part.end) {
    part.begin = i;
    part.end = std::min(i + positions_of_pivot, tile.end);
    const auto positions = static_cast<double>(part.end - part.begin);
    ColumnSums<Acc> sums;
    sum_positions<Acc, Acc>(call, matrix, part, sums);
    if constexpr (std::is_same_v<Acc, float>) {
      // Squares beyond a float's range, or NaN and Inf, which come out as NaN.
      if (!all_finite(sums.squares, tile.columns)) {
        moments.add(sums_in_double(call, matrix, part, sums), positions, tile.columns);
        continue;
      }
    }
    moments.add(sums, positions, tile.columns);
  }
  const std::int64_t end = tile.column + tile.columns;
  for (std::int64_t column = tile.column; column < end;) {
    const std::int64_t group = column / matrix.group_width;
    const std::int64_t group_end = std::min((group + 1) * matrix.group_width, end);
    piece(group, moments.of_group(column - tile.column, group_end - tile.column));
    column = group_end;
  }
}

namespace column_passes_detail {

/// How each of a tile's columns is standardised, and its affine map where that is the column's.
template <class Acc>
struct ColumnLines {
  Acc centre[tile_columns];
  Acc scale[tile_columns];
  Acc shift[tile_columns];
  Acc factor[tile_columns];
  Acc offset[tile_columns];
};

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
}

/// Results of a position's columns; `out` may be `h`.
template <class Acc>
void map_position(const Normalization& call, const ColumnMatrix& matrix,
                  const ColumnLines<Acc>& lines, Acc factor, Acc offset, const Acc* h,
                  std::int64_t columns, Acc* out) {
  for (std::int64_t c = 0; c < columns; ++c) {
    out[c] = (h[c] - lines.centre[c]) * lines.scale[c] + lines.shift[c];
  }
  if (call.rounds_normalised()) round_run(call.affine_type, out, columns);
  if (matrix.affine == AffineAxis::position) {
    for (std::int64_t c = 0; c < columns; ++c) out[c] = out[c] * factor + offset;
  } else if (call.rounds_normalised()) {
    for (std::int64_t c = 0; c < columns; ++c) out[c] = out[c] * lines.factor[c] + lines.offset[c];
  }
  activate(call.epilogue, out, columns);
}

}  // namespace column_passes_detail

/// Writes a tile's y, and its sum where that is wanted. In place is safe: a position's columns are
/// read before any of them is written.
template <class Acc, class StandardizerOf>
void apply_columns(const Normalization& call, const ColumnMatrix& matrix, const ColumnTile& tile,
                   const StandardizerOf& standardizer_of) {
  using namespace column_passes_detail;
  ColumnLines<Acc> lines;
  fill_lines(call, matrix, tile, standardizer_of, lines);
  Acc buffer[tile_columns];
  const bool straight = call.y_type == dtype_of<Acc> && call.stores == Stores::cached;
  for (std::int64_t position = tile.begin; position < tile.end; ++position) {
    const std::int64_t x_at =
        tile.sample * matrix.x_sample + position * matrix.x_position + tile.column;
    const std::int64_t y_at =
        tile.sample * matrix.y_sample + position * matrix.y_position + tile.column;
    const Acc* h = read_block(call, x_at, tile.columns, buffer);
    if (call.tensors.sum != nullptr) {
      write_run(call.stores, call.x_type, h, tile.columns, call.tensors.sum, x_at);
    }
    Acc factor = 1;
    Acc offset = 0;
    if (matrix.affine == AffineAxis::position) {
      const std::int64_t row = tile.sample * matrix.groups + tile.column / matrix.group_width;
      read_channels(call, row, position, 1, &factor, &offset);
    }
    Acc* out = straight ? static_cast<Acc*>(call.tensors.y) + y_at : buffer;
    map_position(call, matrix, lines, factor, offset, h, tile.columns, out);
    if (!straight) {
      write_run(call.stores, call.y_type, buffer, tile.columns, call.tensors.y, y_at);
    }
  }
}

}  // namespace FASTNORM_ISA
}  // namespace fastnorm::kokkos
