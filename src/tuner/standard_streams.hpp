// SPDX-License-Identifier: Apache-2.0
/// Standard streams that whoever started the program has closed ("autotune >&-").
#pragma once

namespace fastnorm::tuner {

/// Puts /dev/null in the place of each standard stream that is closed: what is opened next would
/// get its descriptor, and what is printed would end up there. For the beginning of main(). False
/// (and errno) where there is no /dev/null.
bool open_closed_standard_streams() noexcept;

}  // namespace fastnorm::tuner
