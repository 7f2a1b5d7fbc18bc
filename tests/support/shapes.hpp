// SPDX-License-Identifier: Apache-2.0
/// Descriptors for tests: how to write one down, how it prints, and what it means.
#pragma once

#include <fastnorm/norm_desc.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace fastnorm::test {

NormDesc group_norm_desc(const Extents& extents, std::int64_t groups, double eps = 1e-5);
NormDesc instance_norm_desc(const Extents& extents, double eps = 1e-5);
NormDesc layer_norm_desc(const Extents& extents, int normalized_rank = 1, double eps = 1e-5);
NormDesc rms_norm_desc(const Extents& extents, int normalized_rank = 1, double eps = 1e-5);

/// The element types of a call's tensors.
struct Types {
  DType x = DType::f32;
  DType y = DType::f32;
  DType affine = DType::f32;
};

/// All combinations that NormDesc offers.
const std::vector<Types>& offered_types();

NormDesc with_types(NormDesc desc, const Types& types);

/// Every tensor of one type.
inline NormDesc with_type(const NormDesc& desc, DType type) {
  return with_types(desc, {type, type, type});
}

/// Dense tensors of the same extents, with a position's channels side by side.
inline NormDesc channels_last(NormDesc desc) {
  desc.layout = Layout::channels_last;
  return desc;
}

/// "group_norm 2x8x5 groups=4 eps=1e-05 f16->f32 affine=f32 silu residual=exact_sum".
/// What is left at its default is left out.
std::string to_text(const NormDesc& desc);

/// The same as an identifier, for names of tests.
std::string to_identifier(const NormDesc& desc);

/// The extents that the definition is stated in: element i has spatial index i % spatial, channel
/// i / spatial % c and index i / (c * spatial) of n. A layer_norm or rms_norm is n rows of c
/// channels in one group.
struct LogicalShape {
  std::size_t n = 0;
  std::size_t c = 0;
  std::size_t groups = 0;
  std::size_t spatial = 1;  ///< Product of the spatial extents.
  std::size_t samples = 0;  ///< What scale and shift tell apart; divides n.

  std::size_t elements() const { return n * c * spatial; }
  std::size_t statistics() const { return n * groups; }
  std::size_t row_len() const { return c / groups * spatial; }
};
LogicalShape logical_shape(const NormDesc& desc);

/// What every back end and every strategy has to get right in group_norm and instance_norm: ranks
/// from none to five spatial extents, odd and even lengths, one and many groups, rows from 1
/// element to more than a cache holds.
const std::vector<NormDesc>& sweep_shapes();

/// The same in layer_norm and rms_norm: rows of every length that a vector, a warp or a block has
/// trouble with, one row and very many, and rows of several extents.
const std::vector<NormDesc>& row_norm_shapes();

/// Both.
std::vector<NormDesc> all_sweep_shapes();

/// The small ones among sweep_shapes() and row_norm_shapes(): every configuration can be tried on
/// each.
std::vector<NormDesc> small_sweep_shapes();
std::vector<NormDesc> small_row_norm_shapes();

/// `count` more of any operation, drawn with a fixed seed.
std::vector<NormDesc> random_shapes(std::size_t count, std::uint64_t seed);

}  // namespace fastnorm::test

namespace fastnorm {

/// How GoogleTest prints a parameter of this type.
void PrintTo(const NormDesc& desc, std::ostream* out);

}  // namespace fastnorm
