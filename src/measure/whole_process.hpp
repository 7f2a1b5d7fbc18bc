// SPDX-License-Identifier: Apache-2.0
/// Where the threads of this process may run.
///
/// A parallel runtime that binds its threads (OMP_PROC_BIND) puts the one that loads it on a single
/// core, and whatever that thread starts, be it a thread or a process, inherits the core.
#pragma once

#include <cstdint>
#include <memory>

namespace fastnorm::measure {

/// Cores that any thread of this process may run on, or will that OpenMP begins; at least 1.
int process_cores() noexcept;

/// Keeps the calling thread on the `index`-th of them, counted around.
void stay_on_core(int index) noexcept;

/// Lets the calling thread run on all of them, and what it starts meanwhile; at the end it is where
/// it was. Where the system does not tell or does not allow it, nothing changes.
class WholeProcess {
 public:
  WholeProcess() noexcept;
  ~WholeProcess();
  WholeProcess(const WholeProcess&) = delete;
  WholeProcess& operator=(const WholeProcess&) = delete;

 private:
  struct Cores;
  std::unique_ptr<Cores> before_;
};

}  // namespace fastnorm::measure
