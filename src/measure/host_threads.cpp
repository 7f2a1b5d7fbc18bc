// SPDX-License-Identifier: Apache-2.0
#include "measure/host_threads.hpp"

#include "measure/whole_process.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
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
  const WholeProcess anywhere;  // The threads begun here, too.
  std::vector<std::thread> others;
  std::atomic<int> done{0};
  for (int part = 1; part < threads; ++part) {
    others.emplace_back([&, part] {
      ++ready;
      while (!go) std::this_thread::yield();
      body(part);
      ++done;
    });
  }
  while (ready != threads - 1) std::this_thread::yield();
  const clock::time_point start = clock::now();
  go = true;
  body(0);
  while (done != threads - 1) std::this_thread::yield();
  const std::chrono::duration<double, std::micro> elapsed = clock::now() - start;
  for (std::thread& other : others) other.join();
  return elapsed.count();
}

}  // namespace fastnorm::measure
