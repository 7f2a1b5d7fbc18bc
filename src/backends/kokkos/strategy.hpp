// SPDX-License-Identifier: Apache-2.0
/// What the strategies of this back end share, on any space.
#pragma once

#include "core/typed_variant.hpp"

#include <string>

namespace fastnorm::kokkos {

template <class C>
class Strategy : public TypedVariant<C> {
 public:
  using TypedVariant<C>::supports;

  /// One writer for every value, and partials merged in a fixed order.
  bool deterministic() const noexcept final { return true; }

  Support supports_problem(const Problem&, const DeviceInfo&) const final { return Support::yes(); }
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
