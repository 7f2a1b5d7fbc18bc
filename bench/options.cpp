// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <CLI/CLI.hpp>

namespace fastnorm::bench {

std::variant<Options, int> parse_options(int argc, char** argv) {
  constexpr int usage_error = 2;
  Options options;
  CLI::App app(
      "Times fastnorm's kernels on the workload cases, caches cold, against the copy ceiling.");
  app.add_option("--cases", options.cases, "YAML file of cases (default: the shipped ones)")
      ->check(CLI::ExistingFile);
  app.add_option("--case", options.case_names, "Name of a case; may be repeated (default: all)");
  app.add_option(
      "--backend", options.backend,
      "cuda, kokkos, kokkos-host, kokkos-cuda or all (default: those of the GPU if there "
      "is one, else those of the host)");
  app.add_option(
      "--db", options.db,
      "Tuning database of this run, a folder or a .yaml file; \"none\" for the shipped one "
      "alone (default: the user's, then the shipped one)");
  app.add_option("--configs", options.configs,
                 "So many configurations of each strategy in addition, spread over its space "
                 "(default: none)");
  app.allow_extras();
  app.footer(
      "Google Benchmark's own flags work, too: --benchmark_filter=REGEX, --benchmark_out=FILE "
      "(JSON), ...\n"
      "bench/compare.py puts such files beside each other, or judges one by another (--baseline).");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage_error;
  }
  options.passed_on = app.remaining();
  return options;
}

}  // namespace fastnorm::bench
