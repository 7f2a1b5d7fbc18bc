// SPDX-License-Identifier: Apache-2.0
// The documentation of NormArgs and of Plan::execute, byte by byte.
#include "faults.hpp"
#include "support/places.hpp"

#include <algorithm>
#include <cstdint>

namespace fastnorm::test {
namespace {

constexpr StatusCode invalid = StatusCode::invalid_argument;

/// A tensor that is there: the addresses of its elements, in their order.
struct Laid {
  TensorName name;
  DType type;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::vector<std::uintptr_t> elements{};  ///< Of those with elements of x; the others are dense.
};

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

Laid lay(const NormDesc& desc, TensorName name, const void* pointer) {
  Laid tensor{name, type_of(desc, name)};
  tensor.begin = address(pointer);
  tensor.end = tensor.begin + span_in_bytes(desc, name);
  if (!has_elements_of_x(name)) return tensor;
  const Strides& strides = name == TensorName::y ? desc.y_strides : desc.x_strides;
  for (const std::size_t place : places(desc, strides)) {
    tensor.elements.push_back(tensor.begin + place * size_of(tensor.type));
  }
  return tensor;
}

/// The same type and strides.
bool are_alike(const Laid& a, const Laid& b) {
  if (a.type != b.type || a.elements.empty() || a.elements.size() != b.elements.size())
    return false;
  const std::uintptr_t distance = b.begin - a.begin;
  return std::equal(
      a.elements.begin(), a.elements.end(), b.elements.begin(),
      [&](std::uintptr_t of_a, std::uintptr_t of_b) { return of_a + distance == of_b; });
}

bool share_an_element(const Laid& a, const Laid& b) {
  std::vector<std::uintptr_t> of_a = a.elements;
  std::vector<std::uintptr_t> of_b = b.elements;
  std::sort(of_a.begin(), of_a.end());
  std::sort(of_b.begin(), of_b.end());
  const std::uintptr_t size = size_of(a.type);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < of_a.size() && j < of_b.size()) {
    const std::uintptr_t apart = of_a[i] < of_b[j] ? of_b[j] - of_a[i] : of_a[i] - of_b[j];
    if (apart < size) return true;
    of_a[i] < of_b[j] ? ++i : ++j;
  }
  return false;
}

/// Gaps may belong to another tensor of the same type and strides, and to no other.
bool overlap(const Laid& a, const Laid& b) {
  if (a.begin >= b.end || b.begin >= a.end) return false;
  return are_alike(a, b) ? share_an_element(a, b) : true;
}

bool is_in_place(const Laid& out, const Laid& in) {
  const bool may_be = (out.name == TensorName::y || out.name == TensorName::sum) &&
                      (in.name == TensorName::x || in.name == TensorName::residual);
  return may_be && out.begin == in.begin && are_alike(out, in);
}

bool is_required(const NormDesc& desc, TensorName name) {
  return name == TensorName::x || name == TensorName::y ||
         (name == TensorName::residual && desc.residual != Residual::none);
}

bool may_be_there(const NormDesc& desc, TensorName name) {
  switch (name) {
    case TensorName::residual:
    case TensorName::sum:
      return desc.residual != Residual::none;
    case TensorName::scale:
    case TensorName::shift:
      return desc.epilogue.modulation == Modulation::scale_shift;
    case TensorName::mean:
      return desc.op != Op::rms_norm;
    default:
      return true;
  }
}

}  // namespace

Faults faults_of_pointers(const NormDesc& desc, const NormArgs& args) {
  if (is_empty(desc)) return {};
  Faults faults;
  std::vector<Laid> tensors;
  for (const TensorName name : all_tensor_names) {
    const void* pointer = pointer_of(args, name);
    const std::string text = to_string(name);
    if (pointer == nullptr) {
      if (is_required(desc, name)) faults.push_back({invalid, {text + " is null"}});
      continue;
    }
    if (!may_be_there(desc, name)) {
      faults.push_back({invalid, {text + "=0x", "must be null"}});
      continue;
    }
    if (address(pointer) % size_of(type_of(desc, name)) != 0) {
      faults.push_back({invalid, {text + "=0x", "aligned"}});
    }
    tensors.push_back(lay(desc, name, pointer));
  }
  for (const Laid& out : tensors) {
    for (const Laid& other : tensors) {
      if (!is_output(out.name) || &out == &other) continue;
      if (is_in_place(out, other) || !overlap(out, other)) continue;
      const std::string first = to_string(out.name);
      const std::string second = to_string(other.name);
      faults.push_back({invalid, {first + "=0x", "overlaps " + second + "=0x"}});
    }
  }
  return faults;
}

void* place_of_workspace(const PropertyCase& one, const NormArgs& args, std::size_t needed) {
  constexpr std::uintptr_t alignment = 16;
  const std::uintptr_t begin = address(pointer_of(args, one.under_workspace));
  const std::uintptr_t end = begin + span_in_bytes(one.desc, one.under_workspace);
  std::uintptr_t place = begin;
  if (one.workspace == Workspace::begins_at_a_tensors_end) place = end - 1;
  if (one.workspace == Workspace::ends_in_a_tensor) place = begin + alignment - needed;
  return reinterpret_cast<void*>(place / alignment * alignment);
}

Faults faults_of_workspace(const PropertyCase& one, const NormArgs& args, std::size_t needed) {
  if (needed == 0 || one.workspace == Workspace::sound) return {};
  if (!meets_a_tensor(one.workspace)) return {{invalid, {"workspace"}}};
  Faults faults;
  const std::uintptr_t place = address(place_of_workspace(one, args, needed));
  for (const TensorName name : all_tensor_names) {
    const std::uintptr_t begin = address(pointer_of(args, name));
    if (begin == 0 || place >= begin + span_in_bytes(one.desc, name) || begin >= place + needed) {
      continue;
    }
    faults.push_back(
        {invalid, {"workspace=0x", "overlaps " + std::string(to_string(name)) + "=0x"}});
  }
  return faults;
}

}  // namespace fastnorm::test
