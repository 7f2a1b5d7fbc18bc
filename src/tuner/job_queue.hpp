// SPDX-License-Identifier: Apache-2.0
/// The cases of a run, for one or several devices to take.
#pragma once

#include "tuner/jobs.hpp"
#include "tuner/journal_record.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace fastnorm::tuner {

/// Each case goes to the device that asks first, in the order of the run: their shares of the
/// budget are equal, so that no order ends sooner. Safe from several threads.
class JobQueue {
 public:
  /// `begun` are the cases that earlier sessions took up: they go to the devices that had them, in
  /// the order in which they were begun, before any other. So each device finds its measurements,
  /// and the budget is shared out as it was. `jobs` has to outlive the object.
  JobQueue(const std::vector<Job>& jobs, const std::vector<TuningNumber>& begun);

  /// The next case for this device, which has finished the one before; null where there is none.
  /// Waits for devices that may still give theirs back.
  const Job* next(std::size_t device);

  /// The device takes no more: its case is finished,
  void leave(std::size_t device);
  /// or is another's now.
  void give_up(std::size_t device);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<std::size_t, const Job*>> begun_;  ///< With their devices.
  std::deque<const Job*> open_;
  std::map<std::size_t, const Job*> taken_;  ///< By device.
};

}  // namespace fastnorm::tuner
