// SPDX-License-Identifier: Apache-2.0
/// Run with OMP_PROC_BIND: OpenMP has bound this thread before main() and has no other one yet.
#include "measure/whole_process.hpp"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>

namespace {

int cores_of(pid_t process) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return sched_getaffinity(process, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : -1;
}

}  // namespace

int main() {
  const int expected = cores_of(getppid());  // Whom nobody has bound.
  const int bound = cores_of(0);
  const int counted = fastnorm::measure::process_cores();
  int meanwhile = 0;
  {
    const fastnorm::measure::WholeProcess anywhere;
    meanwhile = cores_of(0);
  }
  const int after = cores_of(0);
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads += 1;
  std::printf("%d cores; bound to %d, counted %d, meanwhile %d, after %d, %d threads\n", expected,
              bound, counted, meanwhile, after, threads);
  const bool good = expected > 0 && bound >= 1 && counted == expected && meanwhile == expected &&
                    after == bound && (expected == 1 || bound < expected);
  return good ? 0 : 1;
}
