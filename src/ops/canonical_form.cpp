#include "ops/canonical_form.hpp"

#include <string>

namespace fastnorm {

Status strides_unsupported(const NormDesc& desc, const char* why) {
  return Status(StatusCode::unsupported, shown_strides("x_strides", desc.x_strides) + ", " +
                                             shown_strides("y_strides", desc.y_strides) + ": " +
                                             why);
}

}  // namespace fastnorm
