// SPDX-License-Identifier: Apache-2.0
#include "call_tensors.hpp"

#include "support/element_types.hpp"
#include "support/places.hpp"
#include "support/shapes.hpp"

#include <algorithm>
#include <vector>

namespace fastnorm::test {

namespace {

/// Of a tensor that is dense.
std::size_t length(const NormDesc& desc, TensorName name) {
  const LogicalShape shape = logical_shape(desc);
  switch (name) {
    case TensorName::mean:
    case TensorName::rstd:
      return shape.statistics();
    case TensorName::scale:
    case TensorName::shift:
      return shape.samples * shape.c;
    default:
      return shape.c;
  }
}

}  // namespace

const char* to_string(TensorName name) {
  constexpr std::array names = {"x",    "y",        "gamma", "beta",  "mean",
                                "rstd", "residual", "sum",   "scale", "shift"};
  return names[static_cast<std::size_t>(name)];
}

const void* pointer_of(const NormArgs& args, TensorName name) {
  const std::array<const void*, all_tensor_names.size()> pointers = {
      args.x,    args.y,        args.gamma, args.beta,  args.mean,
      args.rstd, args.residual, args.sum,   args.scale, args.shift};
  return pointers[static_cast<std::size_t>(name)];
}

void set_pointer(NormArgs& args, TensorName name, const void* pointer) {
  auto* const output = const_cast<void*>(pointer);
  switch (name) {
    case TensorName::x:
      args.x = pointer;
      break;
    case TensorName::y:
      args.y = output;
      break;
    case TensorName::gamma:
      args.gamma = pointer;
      break;
    case TensorName::beta:
      args.beta = pointer;
      break;
    case TensorName::mean:
      args.mean = output;
      break;
    case TensorName::rstd:
      args.rstd = output;
      break;
    case TensorName::residual:
      args.residual = pointer;
      break;
    case TensorName::sum:
      args.sum = output;
      break;
    case TensorName::scale:
      args.scale = pointer;
      break;
    case TensorName::shift:
      args.shift = pointer;
      break;
  }
}

DType type_of(const NormDesc& desc, TensorName name) {
  switch (name) {
    case TensorName::x:
    case TensorName::residual:
    case TensorName::sum:
      return desc.x_type;
    case TensorName::y:
      return desc.y_type;
    case TensorName::mean:
    case TensorName::rstd:
      return accumulation_type(desc.x_type);
    default:
      return desc.affine_type;
  }
}

bool is_output(TensorName name) {
  return name == TensorName::y || name == TensorName::sum || name == TensorName::mean ||
         name == TensorName::rstd;
}

bool has_elements_of_x(TensorName name) {
  return name == TensorName::x || name == TensorName::y || name == TensorName::residual ||
         name == TensorName::sum;
}

std::size_t span_in_bytes(const NormDesc& desc, TensorName name) {
  const std::size_t size = size_of(type_of(desc, name));
  if (!has_elements_of_x(name)) return length(desc, name) * size;
  const Strides& strides = name == TensorName::y ? desc.y_strides : desc.x_strides;
  const std::vector<std::size_t> all = places(desc, strides);
  return (*std::max_element(all.begin(), all.end()) + 1) * size;
}

}  // namespace fastnorm::test
