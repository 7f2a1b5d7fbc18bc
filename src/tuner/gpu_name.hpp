// SPDX-License-Identifier: Apache-2.0
/// Whether a device is the one that the user names.
#pragma once

#include <string>
#include <string_view>

namespace fastnorm::tuner {

/// Whether the words of `wanted` stand in the device's name one after the other, whatever their
/// case: "H100" names "NVIDIA H100 80GB HBM3", "A10" does not name "NVIDIA A100". False for no
/// words.
bool names_device(std::string_view wanted, std::string_view device_name);

/// The shortest sensible `wanted` for a device: "H100".
std::string short_device_name(std::string_view device_name);

}  // namespace fastnorm::tuner
