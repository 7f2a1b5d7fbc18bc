// SPDX-License-Identifier: Apache-2.0
#include "measure/whole_process.hpp"

#include <dirent.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <optional>

// Of OpenMP, where the program has it: its places say where its threads will be, before they are.
extern "C" {
[[gnu::weak]] int omp_get_num_places();
[[gnu::weak]] int omp_get_place_num_procs(int place);
[[gnu::weak]] void omp_get_place_proc_ids(int place, int* ids);
}

namespace fastnorm::measure {

struct WholeProcess::Cores {
  cpu_set_t set;
};

namespace {

std::optional<cpu_set_t> cores_of(pid_t thread) noexcept {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (::sched_getaffinity(thread, sizeof cores, &cores) != 0) return std::nullopt;
  return cores;
}

void add_places_of_openmp(cpu_set_t& cores) noexcept {
  if (omp_get_num_places == nullptr || omp_get_place_num_procs == nullptr ||
      omp_get_place_proc_ids == nullptr) {
    return;
  }
  const int places = omp_get_num_places();
  for (int place = 0; place < places; ++place) {
    std::array<int, CPU_SETSIZE> ids{};
    const int count = omp_get_place_num_procs(place);
    if (count < 0 || count > CPU_SETSIZE) continue;
    omp_get_place_proc_ids(place, ids.data());
    for (int i = 0; i < count; ++i) {
      const int id = ids[static_cast<std::size_t>(i)];
      if (id >= 0 && id < CPU_SETSIZE) CPU_SET(id, &cores);
    }
  }
}

/// The calling thread's, those of every other thread, and those of threads that OpenMP will begin.
std::optional<cpu_set_t> cores_of_all() noexcept {
  std::optional<cpu_set_t> all = cores_of(0);
  if (!all) return std::nullopt;
  add_places_of_openmp(*all);
  DIR* const threads = ::opendir("/proc/self/task");
  if (threads == nullptr) return all;
  while (const dirent* const thread = ::readdir(threads)) {
    const int id = std::atoi(thread->d_name);
    if (id <= 0) continue;  // "." and "..".
    // One that has ended meanwhile is nowhere.
    if (const auto cores = cores_of(id)) CPU_OR(&*all, &*all, &*cores);
  }
  ::closedir(threads);
  return all;
}

}  // namespace

int process_cores() noexcept {
  const std::optional<cpu_set_t> all = cores_of_all();
  return all ? std::max(1, CPU_COUNT(&*all)) : 1;
}

void stay_on_core(int index) noexcept {
  const std::optional<cpu_set_t> all = cores_of_all();
  if (!all) return;
  int left = index % std::max(1, CPU_COUNT(&*all));
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &*all) || left-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    static_cast<void>(::sched_setaffinity(0, sizeof one, &one));
    return;
  }
}

WholeProcess::WholeProcess() noexcept {
  const std::optional<cpu_set_t> before = cores_of(0);
  const std::optional<cpu_set_t> all = cores_of_all();
  if (!before || !all || CPU_EQUAL(&*before, &*all)) return;
  before_.reset(new (std::nothrow) Cores{*before});
  if (before_ != nullptr) static_cast<void>(::sched_setaffinity(0, sizeof *all, &*all));
}

WholeProcess::~WholeProcess() {
  if (before_ != nullptr) {
    static_cast<void>(::sched_setaffinity(0, sizeof before_->set, &before_->set));
  }
}

}  // namespace fastnorm::measure
