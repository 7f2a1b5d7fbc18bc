// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/host_strategies.hpp"

#include "backends/kokkos/host_cost.hpp"

#include <algorithm>

namespace fastnorm::kokkos {
namespace {

std::vector<int> distinct(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

std::vector<int> thread_counts(std::int64_t rows, const DeviceInfo& device) {
  std::vector<int> counts{1};
  for (const int threads : {device.processors / 2, device.processors}) {
    // More than there are rows would do what so many do.
    if (threads > 1 && (rows > counts.back())) counts.push_back(threads);
  }
  return distinct(counts);
}

std::vector<Stores> stores_for(const Problem& problem, const DeviceInfo& device) {
  const bool fits = static_cast<double>(problem.y_bytes()) <= host_cost::private_cache(device);
  if (fits) return {Stores::cached};
  return {Stores::cached, Stores::streaming};
}

std::vector<int> wave_sizes(std::int64_t rows, double row_bytes, const DeviceInfo& device) {
  constexpr double share = 0.5;  // Outputs take room, too.
  const int all = static_cast<int>(std::min<std::int64_t>(rows, max_wave));
  const auto that_fit = [&](double cache_bytes) {
    const double fitting = share * cache_bytes / std::max(row_bytes, 1.0);
    return std::max(static_cast<int>(std::min<double>(fitting, all)), 1);
  };
  return distinct({1, that_fit(host_cost::private_cache(device) * device.processors),
                   that_fit(host_cost::shared_cache(device)), std::max(all, 1)});
}

Normalization with_outputs(const Normalization& call, const NormArgs& args, Stores store) {
  Normalization with = call.with(args);
  const bool over_input =
      args.y == args.x || args.y == args.residual ||
      (args.sum != nullptr && (args.sum == args.x || args.sum == args.residual));
  with.stores = over_input ? Stores::cached : store;
  return with;
}

}  // namespace fastnorm::kokkos
