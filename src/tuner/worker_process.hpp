// SPDX-License-Identifier: Apache-2.0
/// A process that does what it is told, and may die of it.
#pragma once

#include "tuner/line_channel.hpp"

#include <fastnorm/status.hpp>

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::tuner {

/// What is started.
struct WorkerProgram {
  std::filesystem::path path;
  std::vector<std::string> arguments;    ///< After the program's name.
  std::vector<std::string> environment;  ///< "NAME=value": what it does not inherit.
};

/// The descriptor at which a worker finds its end of the channel.
inline constexpr int worker_channel = 3;

/// One life of a worker. It is started anew and not forked, since the runtime of a device does not
/// survive a fork; it has a process group of its own, so that what a terminal sends to this process
/// does not reach it; and it ends with this process, since its channel does, or at the latest with
/// its kernel's help (serve()).
class WorkerProcess {
 public:
  /// Errors: unavailable, with the system's reason.
  static Result<WorkerProcess> start(const WorkerProgram& program);

  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;
  ~WorkerProcess() { end(); }

  pid_t id() const noexcept { return id_; }

  /// Sends a line and waits for the one that answers it. Where a signal has stopped the process by
  /// the end of that time, it is let go on and waited for as long once more. Error: device_error,
  /// saying how the process has ended ("the process was killed by SIGSEGV") or why it was ended
  /// ("did not end within 20 s"); it is gone then.
  Result<std::string> exchange(const std::string& line, std::chrono::milliseconds limit);

 private:
  WorkerProcess(pid_t id, LineChannel channel) : id_(id), channel_(std::move(channel)) {}

  /// Has it go on if a signal has stopped it; whether one has.
  bool continue_if_stopped() const;

  /// Kills it and collects what is left; what it has ended by.
  std::string end();

  pid_t id_ = -1;
  LineChannel channel_;
};

}  // namespace fastnorm::tuner
