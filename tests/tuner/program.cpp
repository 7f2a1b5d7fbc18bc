// SPDX-License-Identifier: Apache-2.0
#include "tuner/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace fastnorm::test {
namespace {

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
  }
  void close_end(std::size_t end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
};

/// In the child; does not return.
[[noreturn]] void become_program(const std::vector<std::string>& arguments,
                                 const Environment& environment, int out, int err,
                                 const std::vector<int>& closed = {}) {
  // As a shell does with what a terminal's Ctrl-C is for.
  setpgid(0, 0);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const int stream : closed) close(stream);
  for (const auto& [name, value] : environment) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  std::string program = AUTOTUNE_PROGRAM;
  std::vector<std::string> copies = arguments;
  std::vector<char*> argv = {program.data()};
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  _exit(127);
}

/// What /proc/PID/stat says.
struct ProcessState {
  char state = 'X';
  pid_t parent = -1;
};

ProcessState state_of(const std::filesystem::path& folder) {
  ProcessState state;
  std::string text = read_text(folder / "stat");
  // The program's name, in parentheses, may contain anything.
  std::istringstream(text.erase(0, text.rfind(')') + 1)) >> state.state >> state.parent;
  return state;
}

/// Reads once; false at the end.
bool read_some(int fd, std::string& text) {
  std::array<char, 4096> buffer;
  const ssize_t count = read(fd, buffer.data(), buffer.size());
  if (count <= 0) return false;
  text.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

/// -1 of one that a signal has ended.
int exit_status_from(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

int exit_status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return exit_status_from(status);
}

}  // namespace

ProgramRun autotune(const std::vector<std::string>& arguments, const Environment& environment,
                    const Watcher& watcher, Session session) {
  Pipe out;
  Pipe err;
  const pid_t child = fork();
  if (child == 0 && session == Session::its_own) setsid();
  if (child == 0) become_program(arguments, environment, out.ends[1], err.ends[1]);
  out.close_end(1);
  err.close_end(1);
  ProgramRun run;
  bool out_open = true;
  bool err_open = true;
  while (out_open || err_open) {
    std::array<pollfd, 2> wanted = {pollfd{out_open ? out.ends[0] : -1, POLLIN, 0},
                                    pollfd{err_open ? err.ends[0] : -1, POLLIN, 0}};
    poll(wanted.data(), wanted.size(), -1);
    if (wanted[0].revents != 0) {
      out_open = read_some(out.ends[0], run.out);
      if (out_open && watcher) watcher(child, run.out);
    }
    if (wanted[1].revents != 0) err_open = read_some(err.ends[0], run.err);
  }
  run.exit_status = exit_status_of(child);
  return run;
}

ProgramRun autotune_into(const std::filesystem::path& out,
                         const std::vector<std::string>& arguments,
                         const Environment& environment) {
  Pipe err;
  const pid_t child = fork();
  if (child == 0) {
    const int file = open(out.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) _exit(127);
    become_program(arguments, environment, file, err.ends[1]);
  }
  err.close_end(1);
  ProgramRun run;
  while (read_some(err.ends[0], run.err)) {
  }
  run.exit_status = exit_status_of(child);
  return run;
}

int autotune_without(const std::vector<int>& streams, const std::vector<std::string>& arguments,
                     const std::function<void(int process)>& watcher) {
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    become_program(arguments, {}, null, null, streams);
  }
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return exit_status_from(status);
    watcher(child);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

ProgramRun autotune_on_terminal(const std::vector<std::string>& arguments,
                                const Environment& environment, unsigned short columns) {
  int master = -1;
  int slave = -1;
  const winsize size{25, columns, 0, 0};
  if (openpty(&master, &slave, nullptr, nullptr, &size) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) become_program(arguments, environment, slave, slave);
  close(slave);
  ProgramRun run;
  while (read_some(master, run.out)) {
  }
  close(master);
  run.exit_status = exit_status_of(child);
  return run;
}

std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const ProcessState state = state_of(entry.path());
    if (state.parent == process && state.state != 'Z') children.push_back(std::stoi(name));
  }
  return children;
}

bool is_running(pid_t process) {
  const char state = state_of("/proc/" + std::to_string(process)).state;
  return state != 'X' && state != 'Z';
}

bool contains(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

std::string read_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace fastnorm::test
