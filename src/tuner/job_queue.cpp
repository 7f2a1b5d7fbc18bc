// SPDX-License-Identifier: Apache-2.0
#include "tuner/job_queue.hpp"

#include <algorithm>

namespace fastnorm::tuner {

JobQueue::JobQueue(const std::vector<Job>& jobs, const std::vector<TuningNumber>& begun) {
  // Of a case that another device took over, only the latter counts.
  std::map<std::size_t, std::size_t> last_device;
  for (const TuningNumber& tuning : begun) last_device[tuning.job] = tuning.target;
  const auto job_of = [&](std::size_t number) {
    const auto found = std::find_if(jobs.begin(), jobs.end(),
                                    [&](const Job& job) { return job.number == number; });
    return found == jobs.end() ? nullptr : &*found;
  };
  for (const TuningNumber& tuning : begun) {
    const Job* job = job_of(tuning.job);
    if (job == nullptr || last_device[tuning.job] != tuning.target) continue;
    begun_.emplace_back(tuning.target, job);
  }
  for (const Job& job : jobs) {
    if (last_device.count(job.number) == 0) open_.push_back(&job);
  }
}

const Job* JobQueue::next(std::size_t device) {
  std::unique_lock lock(mutex_);
  taken_.erase(device);
  changed_.notify_all();
  changed_.wait(lock, [&] {
    if (!begun_.empty()) return begun_.front().first == device;
    return !open_.empty() || taken_.empty();
  });
  const Job* job = nullptr;
  if (!begun_.empty()) {
    job = begun_.front().second;
    begun_.pop_front();
  } else if (!open_.empty()) {
    job = open_.front();
    open_.pop_front();
  }
  if (job != nullptr) taken_[device] = job;
  changed_.notify_all();
  return job;
}

void JobQueue::leave(std::size_t device) {
  const std::lock_guard lock(mutex_);
  taken_.erase(device);
  const auto others = std::stable_partition(begun_.begin(), begun_.end(),
                                            [&](const auto& one) { return one.first != device; });
  for (auto one = others; one != begun_.end(); ++one) open_.push_back(one->second);
  begun_.erase(others, begun_.end());
  changed_.notify_all();
}

void JobQueue::give_up(std::size_t device) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto taken = taken_.find(device); taken != taken_.end()) {
      open_.push_front(taken->second);
    }
  }
  leave(device);
}

}  // namespace fastnorm::tuner
