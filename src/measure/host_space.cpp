// SPDX-License-Identifier: Apache-2.0
/// Host memory: the reference in plain C++, caches flushed by writing, steady_clock.
#include "backends/kokkos/streaming.hpp"
#include "measure/host_memory.hpp"
#include "measure/host_reference.hpp"
#include "measure/host_threads.hpp"
#include "measure/space.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

namespace fastnorm::measure {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t page_bytes = 4096;

Memory allocate_host(std::size_t bytes) {
  return {::operator new (bytes, std::align_val_t{page_bytes}, std::nothrow),
          [](void* memory) { ::operator delete (memory, std::align_val_t{page_bytes}); }};
}

/// A quarter more than the last cache, whose replacement is not exactly least-recently-used; and
/// enough to displace the private caches of each thread where the last one's size is unknown.
std::size_t flush_bytes(const DeviceInfo& device) {
  const std::int64_t least = std::int64_t{32} << 20;
  return static_cast<std::size_t>(std::max(least, device.l2_bytes + device.l2_bytes / 4));
}

/// Of a sample of the shortest work: displacing a large cache takes long.
constexpr std::size_t most_runs = 8;

/// The shortest time that the clock can tell from none.
double clock_step_us() {
  std::vector<double> ticks;
  const clock::time_point start = clock::now();
  for (int i = 0; i < 1000; ++i) {
    ticks.push_back(std::chrono::duration<double, std::micro>(clock::now() - start).count());
  }
  return smallest_step(std::move(ticks));
}

using CopyPart = void (*)(unsigned char* to, const unsigned char* from, std::size_t bytes);

void copy_into_caches(unsigned char* to, const unsigned char* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

/// Of what no cache holds, a line that is written in this way need not be read first.
void copy_past_caches(unsigned char* to, const unsigned char* from, std::size_t bytes) {
  kokkos::stream(to, from, bytes);
  kokkos::finish_streaming();
}

/// A processor fetches ahead within a page, and begins anew on the next: of a few pages at a time,
/// the others hide that.
void copy_pages_past_caches(unsigned char* to, const unsigned char* from, std::size_t bytes) {
  constexpr std::size_t side_by_side = 4;
  constexpr std::size_t piece = 256;
  const std::size_t together = side_by_side * page_bytes;
  const std::size_t whole = bytes / together * together;
  for (std::size_t first = 0; first < whole; first += together) {
    for (std::size_t at = first; at < first + page_bytes; at += piece) {
      for (std::size_t page = 0; page < together; page += page_bytes) {
        kokkos::stream(to + at + page, from + at + page, piece);
      }
    }
  }
  copy_past_caches(to + whole, from + whole, bytes - whole);
}

/// How many of [0, count) are found by found_in(begin, end), which goes over a part.
template <class FoundIn>
std::int64_t count_in_parallel(std::int64_t count, const FoundIn& found_in) {
  std::atomic<std::int64_t> total{0};
  parallel_parts(count, host_threads(),
                 [&](std::int64_t begin, std::int64_t end) { total += found_in(begin, end); });
  return total;
}

/// work(place, turn) for the places of a part, one turn after the other.
template <class Work>
void for_each_place(std::int64_t begin, std::int64_t end, Turns turns, const Work& work) {
  for (std::int64_t place = begin; place < end;) {
    const std::int64_t turn = turns.of(place);
    const std::int64_t last = std::min(turns.end_after(place), end);
    for (; place < last; ++place) work(place, turn);
  }
}

class HostSpace final : public Space {
 public:
  HostSpace(Memory flush, std::size_t flush_size, int copy_threads)
      : flush_(std::move(flush)), flush_size_(flush_size), copy_threads_(copy_threads) {}

  Result<std::int64_t> available_bytes() const override { return available_host_bytes(); }

  /// All of it is needed.
  Status release(std::int64_t) override { return {}; }

  Result<Memory> allocate(std::size_t bytes) override {
    Memory memory = allocate_host(bytes);
    if (!memory) {
      return Status(StatusCode::out_of_memory,
                    "cannot allocate " + std::to_string(bytes) + " bytes of host memory");
    }
    return memory;
  }

  Status fill(void* to, unsigned char byte, std::size_t bytes) override {
    auto* base = static_cast<unsigned char*>(to);
    parts(bytes, [&](std::int64_t begin, std::int64_t end) {
      std::memset(base + begin, byte, static_cast<std::size_t>(end - begin));
    });
    return {};
  }

  Status copy(void* to, const void* from, std::size_t bytes) override {
    auto* target = static_cast<unsigned char*>(to);
    const auto* source = static_cast<const unsigned char*>(from);
    parts(bytes, [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(target + begin, source + begin, static_cast<std::size_t>(end - begin));
    });
    return {};
  }

  Status read(void* to_host, const void* from, std::size_t bytes) override {
    std::memcpy(to_host, from, bytes);
    return {};
  }

  Status fill_random(void* tensor, DType type, std::int64_t count, Turns turns,
                     std::uint64_t seed) override {
    with_elements(type, tensor, [&](auto* elements) {
      using Element = std::remove_pointer_t<decltype(elements)>;
      parallel_parts(count, host_threads(), [&](std::int64_t begin, std::int64_t end) {
        for_each_place(begin, end, turns, [&](std::int64_t place, std::int64_t turn) {
          elements[place] = random_element<Element>(seed, place, turn);
        });
      });
    });
    return {};
  }

  Result<std::int64_t> count_damaged(const void* tensor, DType type, std::int64_t count,
                                     Turns turns, std::uint64_t seed) override {
    std::int64_t total = 0;
    with_elements(type, tensor, [&](const auto* elements) {
      using Element = std::remove_const_t<std::remove_pointer_t<decltype(elements)>>;
      total = count_in_parallel(count, [&](std::int64_t begin, std::int64_t end) {
        std::int64_t found = 0;
        for_each_place(begin, end, turns, [&](std::int64_t place, std::int64_t turn) {
          const auto expected = random_element<Element>(seed, place, turn);
          found += widen(elements[place]) == widen(expected) ? 0 : 1;
        });
        return found;
      });
    });
    return total;
  }

  Status unset_gaps(void* tensor, DType type, const Places& places) override {
    with_elements(type, tensor, [&](auto* elements) {
      using Element = std::remove_pointer_t<decltype(elements)>;
      parallel_parts(places.span(), host_threads(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t place = begin; place < end; ++place) {
          if (!places.has_element(place)) elements[place] = unset<Element>();
        }
      });
    });
    return {};
  }

  Result<std::int64_t> count_set_gaps(const void* tensor, DType type,
                                      const Places& places) override {
    std::int64_t total = 0;
    with_elements(type, tensor, [&](const auto* elements) {
      total = count_in_parallel(places.span(), [&](std::int64_t begin, std::int64_t end) {
        std::int64_t found = 0;
        for (std::int64_t place = begin; place < end; ++place) {
          found += !places.has_element(place) && !is_unset(elements[place]) ? 1 : 0;
        }
        return found;
      });
    });
    return total;
  }

  Status row_statistics(const ReferenceCall& call, RowStatistics* statistics) override {
    parallel_parts(call.rows, host_threads(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) statistics[r] = statistics_of(call, r);
    });
    return {};
  }

  Result<Comparison> compare(const ReferenceCall& call) override {
    Comparison total{};
    std::mutex mutex;
    parallel_parts(call.rows, host_threads(), [&](std::int64_t begin, std::int64_t end) {
      Comparison part{};
      for (std::int64_t r = begin; r < end; ++r) compare_row(part, call, r);
      const std::lock_guard<std::mutex> lock(mutex);
      merge(total, part);
    });
    return total;
  }

  Status run(const Work& work) override { return work(Stream{}); }

  Result<std::vector<double>> time(const Work& work, const SampleLimits& limits) override {
    return sample(limits, [&]() -> Result<double> {
      const clock::time_point start = clock::now();
      Status status = work(Stream{});
      const std::chrono::duration<double, std::micro> elapsed = clock::now() - start;
      if (!status.ok()) return status;
      return elapsed.count();
    });
  }

  Result<std::vector<std::vector<double>>> time_copies(void* to, const void* from,
                                                       std::size_t bytes,
                                                       const SampleLimits& limits) override {
    auto* target = static_cast<unsigned char*>(to);
    const auto* source = static_cast<const unsigned char*>(from);
    std::vector<int> teams = {1};
    if (copy_threads_ > 1) teams.push_back(copy_threads_);
    std::vector<std::vector<double>> ways;
    for (const int threads : teams) {
      for (const CopyPart copy_part :
           {copy_into_caches, copy_past_caches, copy_pages_past_caches}) {
        const auto begin = [&](int part) {
          const std::size_t share = bytes / static_cast<std::size_t>(threads);
          return share * static_cast<std::size_t>(part) / page_bytes * page_bytes;
        };
        const auto copy = [&](int part) {
          const std::size_t end = part + 1 == threads ? bytes : begin(part + 1);
          copy_part(target + begin(part), source + begin(part), end - begin(part));
        };
        Result<std::vector<double>> way =
            sample(limits, [&]() -> Result<double> { return timed_team(threads, copy); });
        if (!way.ok()) return way.status();
        ways.push_back(std::move(way).value());
      }
    }
    return ways;
  }

  Status health() override { return {}; }
  Software software() const override { return {}; }

 private:
  /// Whole pages, so that small jobs stay on one thread.
  static void parts(std::size_t bytes,
                    const std::function<void(std::int64_t, std::int64_t)>& body) {
    constexpr std::int64_t piece = std::int64_t{1} << 20;
    const auto size = static_cast<std::int64_t>(bytes);
    parallel_parts((size + piece - 1) / piece, host_threads(),
                   [&](std::int64_t begin, std::int64_t end) {
                     body(begin * piece, std::min(end * piece, size));
                   });
  }

  void flush_caches() {
    // Another value each time, so that no store can be left out.
    ++flush_value_;
    (void)fill(flush_.get(), flush_value_, flush_size_);
  }

  template <class Measure>
  Result<std::vector<double>> sample(const SampleLimits& limits, const Measure& measure_us) {
    return collect_samples(limits, {step_us_, most_runs},
                           [&](std::size_t count) -> Result<std::vector<double>> {
                             std::vector<double> runs;
                             while (runs.size() < count) {
                               flush_caches();
                               const Result<double> us = measure_us();
                               if (!us.ok()) return us.status();
                               runs.push_back(us.value());
                             }
                             return runs;
                           });
  }

  Memory flush_;
  std::size_t flush_size_;
  int copy_threads_;
  double step_us_ = clock_step_us();
  unsigned char flush_value_ = 0;
};

}  // namespace

Result<std::unique_ptr<Space>> make_host_space(const DeviceInfo& device) {
  const std::size_t bytes = flush_bytes(device);
  Memory flush = allocate_host(bytes);
  if (!flush) {
    return Status(StatusCode::out_of_memory,
                  "cannot allocate " + std::to_string(bytes) + " bytes to flush the caches with");
  }
  return std::unique_ptr<Space>(
      std::make_unique<HostSpace>(std::move(flush), bytes, device.processors));
}

}  // namespace fastnorm::measure
