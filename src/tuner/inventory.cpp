// SPDX-License-Identifier: Apache-2.0
#include "tuner/inventory.hpp"

#include <algorithm>
#include <utility>

namespace fastnorm::tuner {
namespace {

void add_missing(Inventory& inventory, const Backend& backend, const Status& why) {
  inventory.missing +=
      (inventory.missing.empty() ? "" : "; ") + std::string(backend.name()) + ": " + why.message();
}

/// " (cuda: no CUDA device)"
std::string reasons(const Inventory& inventory) {
  return inventory.missing.empty() ? "" : " (" + inventory.missing + ")";
}

}  // namespace

bool Inventory::has_gpu() const {
  return std::any_of(usable.begin(), usable.end(), [](const Candidate& candidate) {
    return candidate.device->memory == MemorySpace::device;
  });
}

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

Result<Inventory> inventory_of(Worker worker, std::optional<int> gpu) {
  const Result<DeviceList> list = worker.devices();
  if (!list.ok()) return list.status();
  const std::vector<const Backend*>& available = backends();
  Inventory inventory;
  inventory.gpu = gpu;
  for (const ListedDevice& listed : list.value().devices) {
    const auto backend = std::find_if(available.begin(), available.end(), [&](const Backend* one) {
      return one->name() == listed.backend;
    });
    if (backend == available.end()) continue;
    if (listed.status.ok()) {
      DeviceInfo info = listed.info;
      // As this process counts.
      if (gpu && info.memory == MemorySpace::device) info.ordinal = *gpu;
      inventory.described.push_back(std::make_unique<const DeviceInfo>(std::move(info)));
      inventory.usable.push_back({*backend, inventory.described.back().get()});
    } else {
      add_missing(inventory, **backend, listed.status);
    }
  }
  return inventory;
}

Result<std::vector<Inventory>> inventories_of(const DeviceChoice& choice) {
  std::vector<Inventory> inventories;
  if (choice.which == DeviceChoice::Which::current) {
    Result<Inventory> current = inventory_of(Worker(this_program()));
    if (!current.ok()) return current.status();
    inventories.push_back(std::move(current).value());
    return inventories;
  }
  const bool all = choice.which == DeviceChoice::Which::all;
  for (std::size_t i = 0; all || i < choice.numbers.size(); ++i) {
    const int number = all ? static_cast<int>(i) : choice.numbers[i];
    Result<Inventory> found = inventory_of(Worker(this_program(number)), number);
    if (!found.ok()) return found.status();
    Inventory& inventory = found.value();
    if (!inventory.has_gpu()) {
      if (all && i > 0) break;
      return Status(StatusCode::unavailable, "--devices " + to_string(choice) +
                                                 ": there is no GPU " + std::to_string(number) +
                                                 reasons(inventory));
    }
    inventories.push_back(std::move(inventory));
  }
  return inventories;
}

}  // namespace fastnorm::tuner
