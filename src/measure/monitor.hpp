// SPDX-License-Identifier: Apache-2.0
/// Watches what may disturb measurements.
#pragma once

#include "core/device_info.hpp"
#include "core/disturbances.hpp"

#include <memory>
#include <string>
#include <vector>

namespace fastnorm::measure {

/// Of one device. An interface, so that disturbances can be made up.
class Monitor {
 public:
  virtual ~Monitor() = default;

  /// What the user should know before anything is measured: how the device was found when the
  /// object was made, and what cannot be watched.
  virtual std::vector<std::string> opening_notes() const = 0;

  /// A measurement begins.
  virtual void begin() = 0;

  /// It has ended. What has disturbed it, as far as that can be seen.
  virtual Disturbances end() = 0;

  /// What the user should know of all the measurements together.
  virtual std::vector<std::string> closing_notes() const = 0;
};

/// To be made before the device has anything to do. Where nothing can be watched, it says so in its
/// opening notes.
std::unique_ptr<Monitor> make_monitor(const DeviceInfo& device);

}  // namespace fastnorm::measure
