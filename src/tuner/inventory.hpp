/// The devices that there are to tune for.
#pragma once

#include "core/dispatcher.hpp"
#include "tuner/worker.hpp"

#include <memory>
#include <string>
#include <vector>

namespace fastnorm::tuner {

/// With the reasons for what there is not.
struct Inventory {
  std::vector<Candidate> usable;
  std::string missing;
  std::vector<std::unique_ptr<const DeviceInfo>> described{};  ///< Those of another process.
};

/// Every back end with its current device, as this process finds it: starts the devices' runtimes.
Inventory local_inventory();

/// The same as the worker finds it. Errors: those of Worker::devices().
Result<Inventory> inventory_of(Worker worker);

}  // namespace fastnorm::tuner
