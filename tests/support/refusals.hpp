// SPDX-License-Identifier: Apache-2.0
/// How many problems a test's back ends have declined. One that does not offer a layout makes a
/// part of a test's trials fall away, which is no failure but must show.
#pragma once

#include "core/backend.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace fastnorm::test {

class Refusals {
 public:
  /// Those of the test that runs.
  static Refusals& current() {
    static Refusals refusals;
    return refusals;
  }

  void clear() { *this = {}; }
  void note_taken() { ++taken_; }

  /// Whether a back end may answer so to a valid descriptor: all of them offer whatever NormDesc
  /// does for dense channels-first tensors, and "cuda" all the rest as well. Counted if it may.
  bool note_if_allowed(const NormDesc& desc, std::string_view backend, const Status& status) {
    const bool dense = desc.x_strides.rank() == 0 && desc.y_strides.rank() == 0 &&
                       desc.layout == Layout::channels_first;
    if (status.code() != StatusCode::unsupported || dense || backend == "cuda") return false;
    ++refused_;
    last_ = status.message();
    return true;
  }

  std::size_t count() const noexcept { return refused_; }
  bool nothing_ran() const noexcept { return refused_ > 0 && taken_ == 0; }

  /// "60 of 100 problems refused, the last: ...".
  std::string summary() const {
    return std::to_string(refused_) + " of " + std::to_string(refused_ + taken_) +
           " problems refused, the last: " + last_;
  }

 private:
  std::size_t taken_ = 0;
  std::size_t refused_ = 0;
  std::string last_;
};

}  // namespace fastnorm::test
