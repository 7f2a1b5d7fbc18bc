#include "core/tuning_index.hpp"

#include "core/tuning_db.hpp"

#include <algorithm>
#include <cmath>

namespace fastnorm {
namespace {

/// The farthest entry that counts. Configurations hold threads and blocks per row, which are chosen
/// in powers of two for the rows and the row length at hand: up to a factor of two in their product
/// the best choice is the neighbour's or the one next to it. Farther away (half the rows with the
/// same blocks per row leave half the processors idle) the heuristic, which counts waves, knows
/// better.
constexpr double farthest_ratio = 2.0;

/// What a block can hold of a row, in shared memory or registers, on the chips that we know. The
/// best strategy changes there, so that an entry on the one side says nothing about the other.
constexpr double on_chip_bytes = 200.0 * 1024;

/// The widest access of a kernel; alignment beyond it changes nothing.
constexpr int widest_access = 16;

/// Rows in shape space. Numbers beyond 2^53 lose low bits, which no ratio can show.
struct Rows {
  double rows = 0;
  double row_len = 0;
};

/// Whether a second read of a row, and of the whole tensor, meets a cache.
struct Regime {
  bool row_on_chip = false;
  bool tensor_in_l2 = false;

  static Regime of(const Rows& shape, const Problem& types, const DeviceInfo& device) {
    const double x_size = static_cast<double>(size_of(types.desc().x_type));
    const double y_size = static_cast<double>(size_of(types.desc().y_type));
    return {shape.row_len * x_size <= on_chip_bytes,
            shape.rows * shape.row_len * (x_size + y_size) <= static_cast<double>(device.l2_bytes)};
  }
  friend bool operator==(const Regime& a, const Regime& b) {
    return a.row_on_chip == b.row_on_chip && a.tensor_in_l2 == b.tensor_in_l2;
  }
};

double ratio(double a, double b) { return a < b ? b / a : a / b; }

int octave(double value) { return std::ilogb(value); }
constexpr int last_octave = 63;

/// Everything that must agree, and the octaves of rows and row length, in one sortable number.
/// Octaves are last, so that those next to each other are neighbours in the sorted order, too.
class CellCode {
 public:
  CellCode(std::size_t backend, Op op, DType x, DType y, DType affine, Layout layout,
           bool inner_is_1) {
    append(backend, 20);
    append(static_cast<std::size_t>(op), 8);
    append(static_cast<std::size_t>(x), 6);
    append(static_cast<std::size_t>(y), 6);
    append(static_cast<std::size_t>(affine), 6);
    append(static_cast<std::size_t>(layout), 4);
    // With one element a channel every element has a gamma of its own to load.
    append(inner_is_1 ? 1 : 0, 1);
  }

  std::uint64_t at(int rows_octave, int row_len_octave) const {
    return ((code_ << 6U) | static_cast<std::uint64_t>(rows_octave)) << 6U |
           static_cast<std::uint64_t>(row_len_octave);
  }

 private:
  void append(std::size_t value, unsigned bits) { code_ = (code_ << bits) | value; }
  std::uint64_t code_ = 0;
};

int alignment_gap(int entry, int query) {
  int gap = 0;
  for (int wide = std::min(query, widest_access); wide > entry; wide /= 2) ++gap;
  return gap;
}

}  // namespace

TuningIndex::TuningIndex(const std::vector<TuningEntry>& entries) {
  points_.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const TuningKey& key = entries[i].key;
    const TuningShape& shape = entries[i].shape;
    if (shape.n < 1 || shape.groups < 1 || shape.c < shape.groups || shape.inner < 1) continue;

    const auto known = std::find(backends_.begin(), backends_.end(), key.backend);
    const auto backend = static_cast<std::size_t>(known - backends_.begin());
    if (known == backends_.end()) backends_.push_back(key.backend);

    const CellCode code(backend, key.op, key.x_type, key.y_type, key.affine_type, key.layout,
                        shape.inner == 1);
    Point point;
    point.rows = static_cast<double>(shape.n) * static_cast<double>(shape.groups);
    point.row_len = static_cast<double>(shape.c / shape.groups) * static_cast<double>(shape.inner);
    point.cell = code.at(octave(point.rows), octave(point.row_len));
    point.entry = i;
    point.alignment = key.alignment;
    point.deterministic = key.deterministic;
    points_.push_back(point);
  }
  std::stable_sort(points_.begin(), points_.end(),
                   [](const Point& a, const Point& b) { return a.cell < b.cell; });
}

void TuningIndex::find_near(const TuningQuery& query, std::vector<Neighbour>& found) const {
  const Problem& problem = *query.problem;
  const auto known = std::find(backends_.begin(), backends_.end(), query.backend);
  if (known == backends_.end() || problem.empty()) return;

  const NormDesc& desc = problem.desc();
  const CellCode code(static_cast<std::size_t>(known - backends_.begin()), desc.op, desc.x_type,
                      desc.y_type, desc.affine_type, desc.layout, problem.inner() == 1);
  const Rows wanted{static_cast<double>(problem.rows()), static_cast<double>(problem.row_len())};
  const Regime regime = Regime::of(wanted, problem, *query.device);

  // A ratio of two reaches into the next octave at most.
  const int rows_octave = octave(wanted.rows);
  const int first_len = std::max(octave(wanted.row_len) - 1, 0);
  const int last_len = std::min(octave(wanted.row_len) + 1, last_octave);
  for (int rows = std::max(rows_octave - 1, 0); rows <= std::min(rows_octave + 1, last_octave);
       ++rows) {
    const std::uint64_t last = code.at(rows, last_len);
    auto point = std::lower_bound(points_.begin(), points_.end(), code.at(rows, first_len),
                                  [](const Point& p, std::uint64_t cell) { return p.cell < cell; });
    for (; point != points_.end() && point->cell <= last; ++point) {
      if (query.deterministic && !point->deterministic) continue;
      // Wider accesses than the pointers allow are no suggestion.
      if (std::min(point->alignment, widest_access) > query.alignment) continue;
      const double apart = ratio(point->rows, wanted.rows) * ratio(point->row_len, wanted.row_len);
      if (apart > farthest_ratio) continue;
      if (!(Regime::of({point->rows, point->row_len}, problem, *query.device) == regime)) continue;
      found.push_back({point->entry, alignment_gap(point->alignment, query.alignment), apart});
    }
  }
}

}  // namespace fastnorm
