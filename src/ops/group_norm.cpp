#include "ops/canonical_form.hpp"

#include <string>

namespace fastnorm {

Result<CanonicalForm> group_norm_form(const NormDesc& desc, std::int64_t inner) {
  const std::int64_t n = desc.extents[0];
  const std::int64_t channels = desc.extents[1];
  if (desc.groups < 1 || channels % desc.groups != 0) {
    return Status(StatusCode::invalid_argument,
                  "groups=" + std::to_string(desc.groups) +
                      " must be at least 1 and divide C=" + std::to_string(channels));
  }
  const std::int64_t channels_per_group = channels / desc.groups;
  return CanonicalForm{n * desc.groups, channels_per_group * inner,
                       AffineMap{desc.groups, channels_per_group, inner}};
}

}  // namespace fastnorm
