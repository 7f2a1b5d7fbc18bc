// SPDX-License-Identifier: Apache-2.0
/// Which back ends on which devices a run is for.
#pragma once

#include "core/dispatcher.hpp"
#include "tuner/options.hpp"

#include <fastnorm/status.hpp>

#include <optional>
#include <vector>

namespace fastnorm::tuner {

struct Inventory;

/// What is tuned, and where.
struct Target {
  Candidate candidate;
  std::optional<int> gpu{};  ///< Its number, where certain ones were chosen.
};

/// That --devices does not meet a --backend which this build has for the host alone, whatever GPUs
/// there are. Error: invalid_argument.
Status check_devices(const Options& options);

/// The back ends that --backend names and whose device is there; not empty.
/// Errors: unavailable, in one sentence that says what is there and what to type instead.
Result<std::vector<Candidate>> select_targets(const Options& options, const Inventory& inventory);

/// The same of several, each back end's together. The host is there once. Further error:
/// invalid_argument, where GPUs are chosen and only the host is left.
Result<std::vector<Target>> select_targets(const Options& options,
                                           const std::vector<Inventory>& inventories);

/// Of this process's own inventory.
Result<std::vector<Candidate>> select_targets(const Options& options);

/// Every back end that has a device here.
std::vector<Candidate> usable_targets();

/// The targets' memory spaces, each once: what Plan::create is asked for.
std::vector<MemorySpace> memory_spaces(const std::vector<Candidate>& targets);

/// What a call in that memory space would say, but for --backend.
PlanOptions plan_options(MemorySpace memory, const Options& options);

}  // namespace fastnorm::tuner
