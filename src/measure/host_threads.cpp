// SPDX-License-Identifier: Apache-2.0
#include "measure/host_threads.hpp"

#include "measure/whole_process.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace fastnorm::measure {

int host_threads() noexcept { return process_cores(); }

void parallel_parts(std::int64_t count, int threads,
                    const std::function<void(std::int64_t, std::int64_t)>& body) {
  const std::int64_t parts = std::clamp<std::int64_t>(count, 1, threads);
  const auto begin = [&](std::int64_t part) {
    return count / parts * part + std::min(part, count % parts);
  };
  const WholeProcess anywhere;  // The threads begun here, too.
  std::vector<std::thread> others;
  for (std::int64_t part = 1; part < parts; ++part) {
    others.emplace_back([&body, from = begin(part), to = begin(part + 1)] { body(from, to); });
  }
  body(0, begin(1));
  for (std::thread& other : others) other.join();
}

double timed_team(int threads, const std::function<void(int)>& body) {
  using clock = std::chrono::steady_clock;
  std::atomic<int> ready{0};
  std::atomic<bool> go{false};
  std::vector<clock::time_point> starts(static_cast<std::size_t>(threads));
  std::vector<clock::time_point> ends(static_cast<std::size_t>(threads));
  const WholeProcess anywhere;
  std::vector<std::thread> team;
  for (int part = 0; part < threads; ++part) {
    team.emplace_back([&, part] {
      stay_on_core(part);
      ++ready;
      while (!go) std::this_thread::yield();
      starts[static_cast<std::size_t>(part)] = clock::now();
      body(part);
      ends[static_cast<std::size_t>(part)] = clock::now();
    });
  }
  while (ready != threads) std::this_thread::yield();
  go = true;
  // This thread sleeps meanwhile: it would take a core from one of them.
  for (std::thread& member : team) member.join();
  // By their own clocks: on a busy machine it may be long before any of them sees the signal.
  const std::chrono::duration<double, std::micro> elapsed =
      *std::max_element(ends.begin(), ends.end()) - *std::min_element(starts.begin(), starts.end());
  return elapsed.count();
}

}  // namespace fastnorm::measure
