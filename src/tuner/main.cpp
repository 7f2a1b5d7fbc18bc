// SPDX-License-Identifier: Apache-2.0
/// autotune: finds the fastest kernels for this machine.
#include "core/backend.hpp"
#include "tuner/command_line.hpp"
#include "tuner/commands.hpp"
#include "tuner/complain.hpp"
#include "tuner/exit_status.hpp"
#include "tuner/standard_streams.hpp"
#include "tuner/worker_service.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <variant>

namespace fastnorm::tuner {
namespace {

int perform(const Options& options) {
  switch (options.command) {
    case Command::run:
      return run(options);
    case Command::show:
      return show(options);
    case Command::explain:
      return explain(options);
    case Command::digest:
      return digest(options);
    case Command::validate:
      return validate(options);
    case Command::merge:
      return merge(options);
    case Command::recheck:
      return recheck(options);
  }
  return exit_usage;
}

/// Half a table in a file on a full disk is no success.
int with_output_written(int exit_status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_status;
  const int failed = complain("cannot write all of standard output", exit_failed);
  return exit_status == exit_done ? failed : exit_status;
}

}  // namespace
}  // namespace fastnorm::tuner

int main(int argc, char** argv) {
  using namespace fastnorm::tuner;
  if (!open_closed_standard_streams()) return exit_failed;  // There is nowhere to say it.
  // What this program plans is nothing that a model has met.
  unsetenv("FASTNORM_RECORD");
  if (argc == 2 && std::string_view(argv[1]) == worker_argument) return serve(fastnorm::backends());
  const std::variant<Options, int> parsed = parse_command_line(argc, argv);
  if (const int* exit_status = std::get_if<int>(&parsed)) return *exit_status;
  // A file that may not grow is an error that is said, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  return with_output_written(perform(std::get<Options>(parsed)));
}
