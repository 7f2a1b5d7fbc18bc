// SPDX-License-Identifier: Apache-2.0
#include "tuner/targets.hpp"

#include "core/quoted.hpp"
#include "core/shell_word.hpp"
#include "tuner/gpu_name.hpp"
#include "tuner/inventory.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace fastnorm::tuner {
namespace {

bool on_device(const Candidate& candidate) {
  return candidate.device->memory == MemorySpace::device;
}

/// Without --backend: the preferred back end of the device, else that of the host.
std::vector<Candidate> preferred(const std::vector<Candidate>& usable) {
  const auto device = std::find_if(usable.begin(), usable.end(), on_device);
  if (device != usable.end()) return {*device};
  return usable.empty() ? usable : std::vector<Candidate>{usable.front()};
}

std::vector<Candidate> named(const std::vector<Candidate>& usable, const std::string& backend) {
  if (backend == "all") return usable;
  std::vector<Candidate> result;
  std::copy_if(usable.begin(), usable.end(), std::back_inserter(result),
               [&](const Candidate& c) { return names_backend(backend, *c.backend); });
  return result;
}

/// What can be typed to tune what is there.
std::string offer(const std::vector<Candidate>& usable) {
  std::string commands;
  for (const Candidate& candidate : usable) {
    const std::string name(candidate.backend->name());
    const std::string command = on_device(candidate)
                                    ? "\"autotune --gpu " +
                                          shell_word(short_device_name(candidate.device->name)) +
                                          "\" for " + candidate.device->name
                                    : "\"autotune --backend " + name.substr(0, name.find('-')) +
                                          "\" for this CPU, " + candidate.device->name;
    if (commands.find(command) != std::string::npos) continue;
    commands += (commands.empty() ? "" : " or ") + command;
  }
  return commands.empty() ? "build fastnorm with a back end for this machine" : "type " + commands;
}

Status no_such_target(const Options& options, const Inventory& inventory) {
  const std::string what = options.backend.empty() ? "there is no device to tune for"
                                                   : "--backend " + options.backend +
                                                         ": there is no such device or back end";
  const std::string why = inventory.missing.empty() ? "" : " (" + inventory.missing + ")";
  return {StatusCode::unavailable, what + why + "; " + offer(inventory.usable)};
}

Status host_for_gpus(const Options& options) {
  return {StatusCode::invalid_argument,
          "--devices is for GPUs, and --backend " + options.backend + " for the host"};
}

Status check_gpu(const Options& options, const Inventory& inventory) {
  if (options.gpu.empty()) return {};
  const auto gpu = std::find_if(inventory.usable.begin(), inventory.usable.end(), on_device);
  if (gpu == inventory.usable.end()) {
    const std::string why =
        inventory.missing.empty() ? "this build has no back end for GPUs" : inventory.missing;
    return {StatusCode::unavailable, "--gpu " + shortened(options.gpu) +
                                         ": no GPU can be used here (" + why + "); " +
                                         offer(inventory.usable)};
  }
  if (options.any_gpu || names_device(options.gpu, gpu->device->name)) return {};
  const std::string here = gpu->device->name;
  return {StatusCode::unavailable, "--gpu " + shortened(options.gpu) + ": the GPU here is " + here +
                                       "; type \"autotune --gpu " +
                                       shell_word(short_device_name(here)) +
                                       "\" to tune for it, or add --any-gpu"};
}

}  // namespace

Status check_devices(const Options& options) {
  if (options.devices.which == DeviceChoice::Which::current) return {};
  const auto names_one_for = [&options](MemorySpace memory) {
    return std::any_of(backends().begin(), backends().end(), [&](const Backend* backend) {
      return backend->memory() == memory && names_backend(options.backend, *backend);
    });
  };
  const bool host_alone = names_one_for(MemorySpace::host) && !names_one_for(MemorySpace::device);
  return host_alone ? host_for_gpus(options) : Status();
}

Result<std::vector<Candidate>> select_targets(const Options& options, const Inventory& inventory) {
  if (Status status = check_gpu(options, inventory); !status.ok()) return status;
  std::vector<Candidate> targets = options.backend.empty()
                                       ? preferred(inventory.usable)
                                       : named(inventory.usable, options.backend);
  if (!options.gpu.empty()) {
    // Who names a GPU does not want this CPU's entries.
    targets.erase(std::remove_if(targets.begin(), targets.end(),
                                 [](const Candidate& target) { return !on_device(target); }),
                  targets.end());
  }
  if (targets.empty()) return no_such_target(options, inventory);
  return targets;
}

Result<std::vector<Target>> select_targets(const Options& options,
                                           const std::vector<Inventory>& inventories) {
  std::vector<Target> all;
  for (const Inventory& inventory : inventories) {
    const Result<std::vector<Candidate>> selected = select_targets(options, inventory);
    if (!selected.ok()) return selected.status();
    for (const Candidate& candidate : selected.value()) {
      if (on_device(candidate)) {
        all.push_back({candidate, inventory.gpu});
      } else if (&inventory == &inventories.front()) {
        all.push_back({candidate, std::nullopt});
      }
    }
  }
  const bool gpus_chosen = inventories.front().gpu.has_value();
  if (gpus_chosen && std::none_of(all.begin(), all.end(), [](const Target& target) {
        return on_device(target.candidate);
      })) {
    return host_for_gpus(options);
  }
  const std::vector<const Backend*>& order = backends();
  std::stable_sort(all.begin(), all.end(), [&](const Target& a, const Target& b) {
    return std::find(order.begin(), order.end(), a.candidate.backend) <
           std::find(order.begin(), order.end(), b.candidate.backend);
  });
  return all;
}

Result<std::vector<Candidate>> select_targets(const Options& options) {
  return select_targets(options, local_inventory());
}

std::vector<Candidate> usable_targets() { return local_inventory().usable; }

std::vector<MemorySpace> memory_spaces(const std::vector<Candidate>& targets) {
  std::vector<MemorySpace> spaces;
  for (const Candidate& target : targets) {
    const MemorySpace memory = target.device->memory;
    if (std::find(spaces.begin(), spaces.end(), memory) == spaces.end()) spaces.push_back(memory);
  }
  return spaces;
}

PlanOptions plan_options(MemorySpace memory, const Options& options) {
  PlanOptions result;
  result.memory = memory;
  // Only where there is something to choose: with a name, FASTNORM_FORCE would not count.
  const bool has_others =
      std::any_of(backends().begin(), backends().end(), [&](const Backend* backend) {
        return backend->memory() == memory && !names_backend(options.backend, *backend);
      });
  if (!options.backend.empty() && options.backend != "all" && has_others) {
    result.backend = options.backend;
  }
  return result;
}

}  // namespace fastnorm::tuner
