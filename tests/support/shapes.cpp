// SPDX-License-Identifier: Apache-2.0
#include "support/shapes.hpp"

#include <algorithm>
#include <cctype>
#include <random>
#include <sstream>

namespace fastnorm::test {

namespace {

NormDesc norm_desc(Op op, const Extents& extents, double eps) {
  NormDesc desc;
  desc.op = op;
  desc.extents = extents;
  desc.eps = eps;
  return desc;
}

bool is_row_norm(Op op) { return op == Op::layer_norm || op == Op::rms_norm; }

std::string to_text(const Epilogue& epilogue) {
  std::ostringstream text;
  if (epilogue.activation != Activation::none) text << ' ' << to_string(epilogue.activation);
  switch (epilogue.activation) {
    case Activation::leaky_relu:
      text << " slope=" << epilogue.slope;
      break;
    case Activation::elu:
      text << " alpha=" << epilogue.alpha;
      break;
    case Activation::clamp:
      text << " lower=" << epilogue.lower << " upper=" << epilogue.upper;
      break;
    default:
      break;
  }
  if (epilogue.gamma != GammaForm::factor) text << " gamma=" << to_string(epilogue.gamma);
  if (epilogue.normalised != NormalisedRounding::none) {
    text << " normalised=" << to_string(epilogue.normalised);
  }
  if (epilogue.modulation != Modulation::none) text << ' ' << to_string(epilogue.modulation);
  return text.str();
}

}  // namespace

NormDesc group_norm_desc(const Extents& extents, std::int64_t groups, double eps) {
  NormDesc desc = norm_desc(Op::group_norm, extents, eps);
  desc.groups = groups;
  return desc;
}

NormDesc instance_norm_desc(const Extents& extents, double eps) {
  return norm_desc(Op::instance_norm, extents, eps);
}

NormDesc layer_norm_desc(const Extents& extents, int normalized_rank, double eps) {
  NormDesc desc = norm_desc(Op::layer_norm, extents, eps);
  desc.normalized_rank = normalized_rank;
  return desc;
}

NormDesc rms_norm_desc(const Extents& extents, int normalized_rank, double eps) {
  NormDesc desc = norm_desc(Op::rms_norm, extents, eps);
  desc.normalized_rank = normalized_rank;
  return desc;
}

const std::vector<Types>& offered_types() {
  constexpr DType f32 = DType::f32;
  constexpr DType f16 = DType::f16;
  constexpr DType bf16 = DType::bf16;
  constexpr DType f64 = DType::f64;
  static const std::vector<Types> types = {
      {f32, f32, f32},  {f16, f16, f16}, {f16, f16, f32}, {bf16, bf16, bf16}, {bf16, bf16, f32},
      {f64, f64, f64},  {f64, f64, f32}, {f16, f32, f16}, {f16, f32, f32},    {bf16, f32, bf16},
      {bf16, f32, f32}, {f32, f16, f32}, {f32, bf16, f32}};
  return types;
}

NormDesc with_types(NormDesc desc, const Types& types) {
  desc.x_type = types.x;
  desc.y_type = types.y;
  desc.affine_type = types.affine;
  return desc;
}

std::string to_text(const NormDesc& desc) {
  std::ostringstream text;
  text << to_string(desc.op) << ' ';
  // Of a rank that is too high, what the descriptor keeps.
  for (int axis = 0; axis < desc.extents.rank() && axis < Extents::max_rank; ++axis) {
    text << (axis == 0 ? "" : "x") << desc.extents[axis];
  }
  if (is_row_norm(desc.op)) {
    text << " normalized_rank=" << desc.normalized_rank;
  } else {
    text << " groups=" << desc.groups;
  }
  text << " eps=" << desc.eps;
  if (desc.x_type != DType::f32 || desc.y_type != DType::f32) text << ' ' << to_string(desc.x_type);
  if (desc.y_type != desc.x_type) text << "->" << to_string(desc.y_type);
  if (desc.affine_type != desc.x_type) text << " affine=" << to_string(desc.affine_type);
  text << to_text(desc.epilogue);
  if (desc.residual != Residual::none) text << " residual=" << to_string(desc.residual);
  if (desc.layout != Layout::channels_first) text << ' ' << to_string(desc.layout);
  for (const Strides* strides : {&desc.x_strides, &desc.y_strides}) {
    for (int axis = 0; axis < strides->rank() && axis < Strides::max_rank; ++axis) {
      if (axis == 0) text << (strides == &desc.x_strides ? " x_strides=" : " y_strides=");
      text << (axis == 0 ? "" : "x") << (*strides)[axis];
    }
  }
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
  const auto extent = [&](int axis) { return static_cast<std::size_t>(desc.extents[axis]); };
  const int rank = desc.extents.rank();
  LogicalShape shape;
  if (is_row_norm(desc.op)) {
    shape.n = shape.c = shape.groups = 1;
    const int leading = rank - desc.normalized_rank;
    for (int axis = 0; axis < leading; ++axis) shape.n *= extent(axis);
    for (int axis = leading; axis < rank; ++axis) shape.c *= extent(axis);
    shape.samples = leading > 0 ? extent(0) : 1;
    return shape;
  }
  shape.n = shape.samples = extent(0);
  shape.c = extent(1);
  for (int axis = 2; axis < rank; ++axis) shape.spatial *= extent(axis);
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

const std::vector<NormDesc>& row_norm_shapes() {
  static const std::vector<NormDesc> shapes = {
      // Rows of each length, for both operations in turn; the shortest ones in great number.
      layer_norm_desc({1, 1}),
      layer_norm_desc({70000, 1}),
      rms_norm_desc({131, 1}),
      layer_norm_desc({3, 2}),
      rms_norm_desc({70001, 2}),
      rms_norm_desc({1, 3}),
      layer_norm_desc({20000, 3}),
      layer_norm_desc({257, 5}),
      rms_norm_desc({65537, 5}),
      layer_norm_desc({65536, 7}),
      rms_norm_desc({33, 7}),
      layer_norm_desc({1023, 16}),
      rms_norm_desc({66000, 16}),
      layer_norm_desc({5, 31}),
      rms_norm_desc({300, 31}),
      layer_norm_desc({1, 32}),
      layer_norm_desc({69999, 32}),
      rms_norm_desc({17, 33}),
      layer_norm_desc({1000, 33}),
      layer_norm_desc({2049, 64}),
      rms_norm_desc({7, 64}),
      rms_norm_desc({500, 96}),
      layer_norm_desc({11, 100}),
      rms_norm_desc({127, 127}),
      layer_norm_desc({64, 127}),
      rms_norm_desc({3000, 128}),
      layer_norm_desc({1, 128}),
      layer_norm_desc({129, 256}),
      rms_norm_desc({130, 256}, 1, 1e-6),
      layer_norm_desc({49, 961}),
      rms_norm_desc({50, 1000}),
      layer_norm_desc({77, 1024}),
      rms_norm_desc({200, 1024}),
      layer_norm_desc({21, 2184}),
      rms_norm_desc({9, 4096}),
      layer_norm_desc({133, 4096}),
      layer_norm_desc({10, 4097}),
      rms_norm_desc({15, 8192}),
      layer_norm_desc({8, 8192}),
      layer_norm_desc({5, 12288}),
      rms_norm_desc({6, 12288}),
      layer_norm_desc({3, 20000}),
      rms_norm_desc({2, 65536}),
      layer_norm_desc({1, 65537}),
      rms_norm_desc({3, 65537}),
      // Long enough to be split.
      layer_norm_desc({1, 400003}),
      rms_norm_desc({1, 1 << 18}),
      // Rows of several extents, and samples of several rows.
      layer_norm_desc({96}),
      rms_norm_desc({1000}),
      layer_norm_desc({2, 2, 2, 2}, 4),
      layer_norm_desc({2, 2, 2, 2}, 3),
      rms_norm_desc({2, 2, 2, 2}, 2),
      layer_norm_desc({3, 5, 7, 11}, 2, 1e-3),
      layer_norm_desc({4, 6, 8, 12}, 1),
      rms_norm_desc({2, 3, 40, 24}, 3),
      rms_norm_desc({5, 1, 129, 8}, 1, 1e-6),
  };
  return shapes;
}

std::vector<NormDesc> all_sweep_shapes() {
  std::vector<NormDesc> shapes = sweep_shapes();
  shapes.insert(shapes.end(), row_norm_shapes().begin(), row_norm_shapes().end());
  return shapes;
}

namespace {

std::vector<NormDesc> small_ones(const std::vector<NormDesc>& shapes) {
  constexpr std::size_t small = 4096;
  std::vector<NormDesc> some;
  std::copy_if(shapes.begin(), shapes.end(), std::back_inserter(some),
               [](const NormDesc& desc) { return logical_shape(desc).elements() <= small; });
  return some;
}

}  // namespace

std::vector<NormDesc> small_sweep_shapes() { return small_ones(sweep_shapes()); }
std::vector<NormDesc> small_row_norm_shapes() { return small_ones(row_norm_shapes()); }

std::vector<NormDesc> random_shapes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine);
  };
  // Extents come from a log scale, so that tiny and long ones are both frequent.
  const auto draw_extent = [&](int bits) { return draw(1, std::int64_t{1} << draw(0, bits)); };
  const auto draw_eps = [&] { return draw(0, 1) == 0 ? 1e-5 : 1e-3; };

  const auto draw_channel_norm = [&] {
    const std::int64_t groups = draw_extent(4);
    const std::int64_t channels = groups * draw_extent(4);
    Extents extents{draw_extent(3), channels};
    const std::int64_t spatial_rank = draw(0, 5);
    const int bits = spatial_rank == 0 ? 0 : static_cast<int>(15 / spatial_rank);
    for (std::int64_t axis = 0; axis < spatial_rank; ++axis) extents.push_back(draw_extent(bits));
    return group_norm_desc(extents, groups, draw_eps());
  };
  const auto draw_row_norm = [&] {
    const std::int64_t rank = draw(1, 4);
    const std::int64_t normalized_rank = draw(1, rank);
    Extents extents;
    for (std::int64_t axis = 0; axis < rank - normalized_rank; ++axis) {
      extents.push_back(draw_extent(4));
    }
    const int bits = static_cast<int>(16 / normalized_rank);
    for (std::int64_t axis = 0; axis < normalized_rank; ++axis) {
      extents.push_back(draw_extent(bits));
    }
    const auto desc = draw(0, 1) == 0 ? layer_norm_desc : rms_norm_desc;
    return desc(extents, static_cast<int>(normalized_rank), draw_eps());
  };

  std::vector<NormDesc> shapes;
  while (shapes.size() < count) {
    shapes.push_back(draw(0, 1) == 0 ? draw_channel_norm() : draw_row_norm());
  }
  return shapes;
}

}  // namespace fastnorm::test

namespace fastnorm {

void PrintTo(const NormDesc& desc, std::ostream* out) { *out << test::to_text(desc); }

}  // namespace fastnorm
