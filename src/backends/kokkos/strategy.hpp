/// What the strategies of this back end share, on any space.
#pragma once

#include "core/epilogue_key.hpp"
#include "core/typed_variant.hpp"

#include <string>

namespace fastnorm::kokkos {

template <class C>
class Strategy : public TypedVariant<C> {
 public:
  using TypedVariant<C>::supports;

  /// One writer for every value, and partials merged in a fixed order.
  bool deterministic() const noexcept final { return true; }

  Support supports(const Problem& problem, const DeviceInfo&) const final {
    const NormDesc& desc = problem.desc();
    const auto refuse = [](const char* field, const auto& asked, const char* supported) {
      return Support::no(std::string(field) + "=" + to_string(asked) +
                         " is not offered; supported: " + supported);
    };
    if (desc.x_type != DType::f32) return refuse("x_type", desc.x_type, "f32");
    if (desc.y_type != DType::f32) return refuse("y_type", desc.y_type, "f32");
    if (desc.affine_type != DType::f32) return refuse("affine_type", desc.affine_type, "f32");
    if (desc.layout != Layout::channels_first) {
      return refuse("layout", desc.layout, "channels_first");
    }
    if (problem.statistics() != Statistics::mean_variance) {
      return refuse("op", desc.op, "group_norm, instance_norm, layer_norm");
    }
    if (const EpilogueKey epilogue = EpilogueKey::of(desc); !(epilogue == EpilogueKey())) {
      return refuse("epilogue", epilogue, "none");
    }
    return Support::yes();
  }
};

/// Whether `value` is one of `allowed`; the reason names the field and all that is allowed.
template <class Values>
Support one_of(const char* field, int value, const Values& allowed) {
  std::string list;
  for (const int candidate : allowed) {
    if (candidate == value) return Support::yes();
    list += (list.empty() ? "" : ", ") + std::to_string(candidate);
  }
  return Support::no(std::string(field) + "=" + std::to_string(value) + " must be one of " + list);
}

inline Support in_range(const char* field, int value, int least, int most) {
  if (value >= least && value <= most) return Support::yes();
  return Support::no(std::string(field) + "=" + std::to_string(value) + " must be from " +
                     std::to_string(least) + " to " + std::to_string(most));
}

}  // namespace fastnorm::kokkos
