// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker_process.hpp"

#include "measure/whole_process.hpp"
#include "tuner/suspension.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <thread>

namespace fastnorm::tuner {
namespace {

/// A killed process is gone when the system has taken down what it had, which may be a device's
/// context. One that hangs within the driver may never be.
constexpr std::chrono::seconds longest_end{60};

Status cannot_start(const WorkerProgram& program, int error) {
  return {StatusCode::unavailable,
          "cannot start " + program.path.string() + ": " + std::generic_category().message(error)};
}

/// "CUDA_VISIBLE_DEVICES" of "CUDA_VISIBLE_DEVICES=0".
std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

std::vector<std::string> environment_of(const WorkerProgram& program) {
  std::vector<std::string> all = program.environment;
  for (char** inherited = environ; *inherited != nullptr; ++inherited) {
    const bool replaced =
        std::any_of(program.environment.begin(), program.environment.end(),
                    [&](const std::string& own) { return name_of(own) == name_of(*inherited); });
    if (!replaced) all.emplace_back(*inherited);
  }
  return all;
}

/// As execve() wants it; `texts` has to stay.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// What is done in the new process before the program.
class SpawnActions {
 public:
  explicit SpawnActions(int channel) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_adddup2(&files_, channel, worker_channel);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    // Whatever a library prints there is no part of a run's results.
    posix_spawn_file_actions_adddup2(&files_, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  ~SpawnActions() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

std::string signal_name(int signal) {
  constexpr std::array<std::pair<int, const char*>, 9> names = {{{SIGSEGV, "SIGSEGV"},
                                                                 {SIGABRT, "SIGABRT"},
                                                                 {SIGBUS, "SIGBUS"},
                                                                 {SIGFPE, "SIGFPE"},
                                                                 {SIGILL, "SIGILL"},
                                                                 {SIGKILL, "SIGKILL"},
                                                                 {SIGTERM, "SIGTERM"},
                                                                 {SIGTRAP, "SIGTRAP"},
                                                                 {SIGINT, "SIGINT"}}};
  for (const auto& [number, name] : names) {
    if (number == signal) return name;
  }
  return "signal " + std::to_string(signal);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return "the process was killed by " + signal_name(WTERMSIG(status));
  return "the process ended with exit status " + std::to_string(WEXITSTATUS(status));
}

/// "0.5 s", "20 s"
std::string seconds_text(std::chrono::milliseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", std::chrono::duration<double>(time).count());
  return text;
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const WorkerProgram& program) {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return cannot_start(program, errno);
  }
  LineChannel channel{FileDescriptor(ends[0])};
  const FileDescriptor theirs(ends[1]);

  std::vector<std::string> arguments = program.arguments;
  arguments.insert(arguments.begin(), program.path.filename().string());
  std::vector<std::string> environment = environment_of(program);
  const SpawnActions actions(theirs.get());
  const measure::WholeProcess anywhere;  // What it measures on is not for us to choose.
  pid_t id = -1;
  const int error = ::posix_spawn(&id, program.path.c_str(), actions.files(), actions.attributes(),
                                  pointers_to(arguments).data(), pointers_to(environment).data());
  if (error != 0) return cannot_start(program, error);
  return WorkerProcess(id, std::move(channel));
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)), channel_(std::move(other.channel_)) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(channel_, other.channel_);
  return *this;
}

Result<std::string> WorkerProcess::exchange(const std::string& line,
                                            std::chrono::milliseconds limit) {
  const auto failed = [](std::string how) {
    return Status(StatusCode::device_error, std::move(how));
  };
  if (!channel_.send(line)) return failed(end());
  std::string answer;
  LineChannel::Received received = channel_.receive(answer, running_time() + limit);
  // What has not run does not hang. Once: one that stops itself again and again has to end, too.
  if (received == LineChannel::Received::late && continue_if_stopped()) {
    received = channel_.receive(answer, running_time() + limit);
  }
  switch (received) {
    case LineChannel::Received::line:
      return answer;
    case LineChannel::Received::closed:
      break;
    case LineChannel::Received::late:
      end();
      return failed("did not end within " + seconds_text(limit));
    case LineChannel::Received::endless:
      end();
      return failed("the process sent what is no answer");
  }
  return failed(end());
}

bool WorkerProcess::continue_if_stopped() const {
  siginfo_t stopped{};
  constexpr int now = WSTOPPED | WNOHANG | WNOWAIT;
  if (::waitid(P_PID, static_cast<id_t>(id_), &stopped, now) != 0) return false;
  if (stopped.si_pid != id_) return false;
  ::kill(id_, SIGCONT);
  return true;
}

std::string WorkerProcess::end() {
  if (id_ < 0) return "the process had ended before";
  // One that is dying keeps what it dies of.
  ::kill(id_, SIGKILL);
  const auto give_up = running_time() + longest_end;
  const pid_t id = std::exchange(id_, -1);
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(id, &status, WNOHANG);
    if (ended == id) return how_it_ended(status);
    if (ended < 0) return "the process has ended";  // Somebody else has collected its status.
    if (running_time() > give_up) return "the process cannot be ended";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace fastnorm::tuner
