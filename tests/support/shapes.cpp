#include "support/shapes.hpp"

#include <algorithm>
#include <cctype>
#include <random>
#include <sstream>

namespace fastnorm::test {

NormDesc group_norm_desc(const Extents& extents, std::int64_t groups, double eps) {
  NormDesc desc;
  desc.op = Op::group_norm;
  desc.extents = extents;
  desc.groups = groups;
  desc.eps = eps;
  return desc;
}

NormDesc instance_norm_desc(const Extents& extents, double eps) {
  NormDesc desc;
  desc.op = Op::instance_norm;
  desc.extents = extents;
  desc.eps = eps;
  return desc;
}

std::string to_text(const NormDesc& desc) {
  std::ostringstream text;
  text << to_string(desc.op) << ' ';
  for (int axis = 0; axis < desc.extents.rank(); ++axis) {
    text << (axis == 0 ? "" : "x") << desc.extents[axis];
  }
  text << " groups=" << desc.groups << " eps=" << desc.eps;
  return text.str();
}

std::string to_identifier(const NormDesc& desc) {
  std::string name = to_text(desc);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

LogicalShape logical_shape(const NormDesc& desc) {
  LogicalShape shape;
  shape.n = static_cast<std::size_t>(desc.extents[0]);
  shape.c = static_cast<std::size_t>(desc.extents[1]);
  for (int axis = 2; axis < desc.extents.rank(); ++axis) {
    shape.spatial *= static_cast<std::size_t>(desc.extents[axis]);
  }
  shape.groups = desc.op == Op::instance_norm ? shape.c : static_cast<std::size_t>(desc.groups);
  return shape;
}

const std::vector<NormDesc>& sweep_shapes() {
  static const std::vector<NormDesc> shapes = {
      // No spatial extents: rows of C / groups elements.
      group_norm_desc({1, 1}, 1),
      group_norm_desc({3, 8}, 1),
      group_norm_desc({3, 8}, 2),
      group_norm_desc({3, 8}, 8),
      group_norm_desc({5, 7}, 1),
      group_norm_desc({5, 7}, 7),
      group_norm_desc({2, 1536}, 1),
      // One.
      group_norm_desc({2, 4, 9}, 1),
      group_norm_desc({2, 8, 5}, 4),
      group_norm_desc({1, 6, 1}, 3),
      group_norm_desc({3, 33, 17}, 11),
      group_norm_desc({2, 6, 31}, 2),
      instance_norm_desc({1, 3, 1001}),
      // Two.
      group_norm_desc({1, 48, 32, 32}, 16),
      group_norm_desc({1, 64, 7, 7}, 32),
      group_norm_desc({2, 6, 3, 5}, 3),
      group_norm_desc({2, 32, 64, 64}, 8),
      instance_norm_desc({2, 8, 5, 5}),
      instance_norm_desc({3, 5, 16, 16}, 1e-3),
      // Three to five.
      group_norm_desc({2, 8, 3, 5, 7}, 4),
      instance_norm_desc({2, 4, 6, 5, 4}),
      group_norm_desc({1, 4, 2, 3, 2, 5}, 2),
      group_norm_desc({1, 6, 2, 1, 3, 2, 2}, 3),
      // Few rows, each long enough to be split; lengths with and without a factor of four.
      group_norm_desc({1, 1, 1 << 18}, 1),
      group_norm_desc({1, 2, 257, 513}, 1),
      group_norm_desc({2, 3, 100003}, 3),
      // The shortest ones among them: small enough to try every split of a row.
      group_norm_desc({1, 3, 1031}, 3),
      group_norm_desc({1, 2, 1024}, 1),
      // Many short rows.
      group_norm_desc({4096, 4, 3}, 4),
      group_norm_desc({300, 32, 1}, 32),
      group_norm_desc({2000, 6}, 3),
  };
  return shapes;
}

std::vector<NormDesc> small_sweep_shapes() {
  constexpr std::size_t small = 4096;
  std::vector<NormDesc> shapes;
  std::copy_if(sweep_shapes().begin(), sweep_shapes().end(), std::back_inserter(shapes),
               [](const NormDesc& desc) { return logical_shape(desc).elements() <= small; });
  return shapes;
}

std::vector<NormDesc> random_shapes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine);
  };
  // Extents come from a log scale, so that tiny and long ones are both frequent.
  const auto draw_extent = [&](int bits) { return draw(1, std::int64_t{1} << draw(0, bits)); };

  std::vector<NormDesc> shapes;
  while (shapes.size() < count) {
    const std::int64_t groups = draw_extent(4);
    const std::int64_t channels = groups * draw_extent(4);
    Extents extents{draw_extent(3), channels};
    const std::int64_t spatial_rank = draw(0, 5);
    const int bits = spatial_rank == 0 ? 0 : static_cast<int>(15 / spatial_rank);
    for (std::int64_t axis = 0; axis < spatial_rank; ++axis) extents.push_back(draw_extent(bits));
    const double eps = draw(0, 1) == 0 ? 1e-5 : 1e-3;
    shapes.push_back(group_norm_desc(extents, groups, eps));
  }
  return shapes;
}

}  // namespace fastnorm::test

namespace fastnorm {

void PrintTo(const NormDesc& desc, std::ostream* out) { *out << test::to_text(desc); }

}  // namespace fastnorm
