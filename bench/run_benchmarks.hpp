// SPDX-License-Identifier: Apache-2.0
/// Google Benchmark, with the names of benchmarks as they were registered.
#pragma once

namespace fastnorm::bench {

enum class FileOutput { absent, present };

/// Whether the arguments name a --benchmark_out; ask before Google Benchmark takes its flags away.
FileOutput file_output_of(int argc, const char* const* argv);

/// Runs all registered benchmarks. Google Benchmark appends how it measured to each name
/// ("/iterations:1/manual_time"); here that is the same for all and not its choice, and the names
/// are keys that others look up, so they are reported without. A file is written as JSON.
void run_benchmarks(FileOutput file_output);

/// main() of a program that takes Google Benchmark's flags and no others; `run_all` returns the
/// exit status.
int benchmark_main(int argc, char** argv, int (*run_all)(FileOutput));

}  // namespace fastnorm::bench
