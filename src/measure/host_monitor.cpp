// SPDX-License-Identifier: Apache-2.0
#include "measure/host_monitor.hpp"

#include "core/counted.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace fastnorm::measure {

HostMonitor::HostMonitor(int threads, int processors, std::function<double()> load_average)
    : processors_(processors), load_average_(std::move(load_average)) {
  /// Of the system's own work, and of what has just ended.
  constexpr double usual = 0.5;
  const double load = load_average_();
  if (load + threads <= processors + usual) return;
  char text[160];
  std::snprintf(text, sizeof text,
                "other work disturbs the measurements: the load average is %.1f on %s, of "
                "which they need %d",
                load,
                counted(static_cast<std::size_t>(processors), "processor", "processors").c_str(),
                threads);
  notes_.emplace_back(text);
}

Disturbances HostMonitor::end() {
  // The run itself keeps all processors busy at most, since it verifies with as many threads.
  constexpr double usual = 1;
  if (load_average_() <= processors_ + usual) return {};
  return Disturbance::other_load;
}

int host_processors() { return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))); }

double load_average() {
  double minute = 0;
  return getloadavg(&minute, 1) == 1 ? minute : 0;
}

}  // namespace fastnorm::measure
