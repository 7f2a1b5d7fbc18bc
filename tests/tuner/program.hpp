/// Runs the autotune program.
#pragma once

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

ProgramRun autotune(const std::vector<std::string>& arguments, const Environment& environment = {},
                    const Watcher& watcher = nullptr);

bool contains(const std::string& text, const std::string& piece);

/// All of a file.
std::string read_text(const std::filesystem::path& path);

}  // namespace fastnorm::test
