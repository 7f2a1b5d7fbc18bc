// SPDX-License-Identifier: Apache-2.0
/// The devices that there are to tune for.
#pragma once

#include "core/dispatcher.hpp"
#include "tuner/device_choice.hpp"
#include "tuner/worker.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fastnorm::tuner {

/// With the reasons for what there is not.
struct Inventory {
  std::vector<Candidate> usable;
  std::string missing;
  std::optional<int> gpu{};  ///< The number of the only GPU that was looked at.
  std::vector<std::unique_ptr<const DeviceInfo>> described{};  ///< Those of another process.

  bool has_gpu() const;
};

/// Every back end with its current device, as this process finds it: starts the devices' runtimes.
Inventory local_inventory();

/// The same as the worker finds it, which sees this GPU alone, or what this process sees. Errors:
/// those of Worker::devices().
Result<Inventory> inventory_of(Worker worker, std::optional<int> gpu = std::nullopt);

/// What workers find: of the current device one inventory, else one of each GPU that is chosen.
/// Errors: unavailable where one of them is not there, or none at all; those of Worker::devices().
Result<std::vector<Inventory>> inventories_of(const DeviceChoice& choice);

}  // namespace fastnorm::tuner
