#include "tuner/inventory.hpp"

#include <algorithm>
#include <utility>

namespace fastnorm::tuner {
namespace {

void add_missing(Inventory& inventory, const Backend& backend, const Status& why) {
  inventory.missing +=
      (inventory.missing.empty() ? "" : "; ") + std::string(backend.name()) + ": " + why.message();
}

}  // namespace

Inventory local_inventory() {
  Inventory inventory;
  for (const Backend* backend : backends()) {
    const Result<const DeviceInfo*> device = backend->device(-1);
    if (device.ok()) {
      inventory.usable.push_back({backend, device.value()});
    } else {
      add_missing(inventory, *backend, device.status());
    }
  }
  return inventory;
}

Result<Inventory> inventory_of(Worker worker) {
  const Result<DeviceList> list = worker.devices();
  if (!list.ok()) return list.status();
  const std::vector<const Backend*>& available = backends();
  Inventory inventory;
  for (const ListedDevice& listed : list.value().devices) {
    const auto backend = std::find_if(available.begin(), available.end(), [&](const Backend* one) {
      return one->name() == listed.backend;
    });
    if (backend == available.end()) continue;
    if (listed.status.ok()) {
      inventory.described.push_back(std::make_unique<const DeviceInfo>(listed.info));
      inventory.usable.push_back({*backend, inventory.described.back().get()});
    } else {
      add_missing(inventory, **backend, listed.status);
    }
  }
  return inventory;
}

}  // namespace fastnorm::tuner
