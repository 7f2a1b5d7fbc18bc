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

/// "group_norm 2x8x5 groups=4 eps=1e-05".
std::string to_text(const NormDesc& desc);

/// The same as an identifier, for names of tests.
std::string to_identifier(const NormDesc& desc);

/// The extents that the definition is stated in.
struct LogicalShape {
  std::size_t n = 0;
  std::size_t c = 0;
  std::size_t groups = 0;
  std::size_t spatial = 1;  ///< Product of the spatial extents.

  std::size_t elements() const { return n * c * spatial; }
  std::size_t statistics() const { return n * groups; }
};
LogicalShape logical_shape(const NormDesc& desc);

/// What every back end and every strategy has to get right: ranks from none to five spatial
/// extents, odd and even lengths, one and many groups, rows from 1 element to more than a cache
/// holds.
const std::vector<NormDesc>& sweep_shapes();

/// The small ones among them: every configuration can be tried on each.
std::vector<NormDesc> small_sweep_shapes();

/// `count` more, drawn with a fixed seed.
std::vector<NormDesc> random_shapes(std::size_t count, std::uint64_t seed);

}  // namespace fastnorm::test

namespace fastnorm {

/// How GoogleTest prints a parameter of this type.
void PrintTo(const NormDesc& desc, std::ostream* out);

}  // namespace fastnorm
