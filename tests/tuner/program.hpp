// SPDX-License-Identifier: Apache-2.0
/// Runs the autotune program.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fastnorm::test {

struct ProgramRun {
  int exit_status = -1;  ///< -1: ended by a signal.
  std::string out;
  std::string err;
};

/// Environment variables; an empty value takes one away.
using Environment = std::map<std::string, std::string>;

/// Called with the process's id while it runs, each time it has printed something.
using Watcher = std::function<void(int process, const std::string& out_so_far)>;

/// Whose the program is: a shell's, or as under setsid(1) and batch systems nobody's, who would
/// continue it.
enum class Session { of_the_caller, its_own };

ProgramRun autotune(const std::vector<std::string>& arguments, const Environment& environment = {},
                    const Watcher& watcher = nullptr, Session session = Session::of_the_caller);

/// With standard output into that file.
ProgramRun autotune_into(const std::filesystem::path& out,
                         const std::vector<std::string>& arguments,
                         const Environment& environment = {});

/// With those standard streams closed and the others at /dev/null; the exit status. The watcher is
/// called every few milliseconds.
int autotune_without(const std::vector<int>& streams, const std::vector<std::string>& arguments,
                     const std::function<void(int process)>& watcher);

/// With standard output and error on a terminal of that width; all of it is in `out`.
ProgramRun autotune_on_terminal(const std::vector<std::string>& arguments,
                                const Environment& environment, unsigned short columns);

/// The processes that `process` has started and that have not ended.
std::vector<pid_t> children_of(pid_t process);

/// Whether the process runs: one that nobody has waited for yet does not.
bool is_running(pid_t process);

bool contains(const std::string& text, const std::string& piece);

/// All of a file.
std::string read_text(const std::filesystem::path& path);

}  // namespace fastnorm::test
