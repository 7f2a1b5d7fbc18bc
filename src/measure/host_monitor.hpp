// SPDX-License-Identifier: Apache-2.0
/// Watches the load of a host.
#pragma once

#include "measure/monitor.hpp"

#include <functional>

namespace fastnorm::measure {

/// That of the last minute, which is all that a host says without being asked often. Clocks are not
/// watched: what they do is as much as their load.
class HostMonitor final : public Monitor {
 public:
  /// Measurements use `threads` of the machine's `processors`.
  HostMonitor(int threads, int processors, std::function<double()> load_average);

  std::vector<std::string> opening_notes() const override { return notes_; }
  void begin() override {}
  Disturbances end() override;
  std::vector<std::string> closing_notes() const override { return {}; }

 private:
  int processors_;
  std::function<double()> load_average_;
  std::vector<std::string> notes_;
};

/// Of the machine, since the load is the machine's.
int host_processors();

/// Processes that ran or wanted to, on average over the last minute; 0 where it is not known.
double load_average();

}  // namespace fastnorm::measure
