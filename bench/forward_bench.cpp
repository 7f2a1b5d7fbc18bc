// SPDX-License-Identifier: Apache-2.0
/// fastnorm-bench: every case on every back end, tuned, default and each strategy by force.
#include "core/backend.hpp"
#include "measure/cases.hpp"
#include "options.hpp"
#include "run_benchmarks.hpp"
#include "session.hpp"
#include "subjects.hpp"

#include <fastnorm/version.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fastnorm::bench {
namespace {

enum ExitStatus { done = 0, failed = 1, usage = 2 };

/// Below this the caches hold part of a copy, and its speed says nothing about memory.
constexpr std::int64_t large_tensor_bytes = std::int64_t{256} << 20;

int complain(const Status& status, ExitStatus exit_status) {
  std::fprintf(stderr, "fastnorm-bench: %s: %s\n", to_string(status.code()),
               status.message().c_str());
  return exit_status;
}

Result<std::vector<measure::Case>> read_cases(const Options& options) {
  Result<std::vector<measure::Case>> read =
      options.cases.empty() ? measure::shipped_cases() : measure::load_cases(options.cases);
  if (!read.ok() || options.case_names.empty()) return read;
  std::vector<measure::Case> chosen;
  for (const std::string& name : options.case_names) {
    const auto found = std::find_if(read.value().begin(), read.value().end(),
                                    [&](const measure::Case& c) { return c.name == name; });
    if (found == read.value().end()) {
      return Status(StatusCode::invalid_argument,
                    "--case is \"" + name + "\", which is no case of " +
                        (options.cases.empty() ? "the shipped ones" : options.cases.string()));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

/// Hands Google Benchmark its flags. It exits by itself on --help and the like.
Status initialize_benchmark(const Options& options, char* program) {
  std::vector<std::string> flags = options.passed_on;
  std::vector<char*> argv = {program};
  for (std::string& flag : flags) argv.push_back(flag.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  benchmark::Initialize(&argc, argv.data());
  if (argc == 1) return {};
  return Status(StatusCode::invalid_argument,
                "unknown argument \"" + std::string(argv[1]) + "\"; --help lists them");
}

void run(benchmark::State& state, Session& session, const Subject& subject, int& failures) {
  const Result<Measurement> measured = session.measure(subject);
  if (!measured.ok()) {
    ++failures;
    state.SkipWithError(measured.status().message().c_str());
    return;
  }
  const Measurement& m = measured.value();
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(m.us * 1e-6);
  state.SetBytesProcessed(m.bytes);
  state.counters["copy_fraction"] = m.copy_us / m.us;
  state.counters["spread"] = m.spread;
  state.SetLabel(m.plan);
}

/// Says in the results what lies below the kernels of the back ends that are measured. (The CUDA
/// runtime is a session's.)
Status add_software(const std::vector<Candidate>& targets) {
  Software all;
  for (const Candidate& target : targets) {
    Result<Software> one = target.backend->software();
    if (!one.ok()) return one.status();
    if (!one.value().kokkos.empty()) all.kokkos = one.value().kokkos;
    if (!one.value().instruction_set.empty()) all.instruction_set = one.value().instruction_set;
  }
  if (!all.kokkos.empty()) benchmark::AddCustomContext("kokkos", all.kokkos);
  if (!all.instruction_set.empty()) {
    benchmark::AddCustomContext("instruction_set", all.instruction_set);
  }
  return {};
}

/// Loads the sessions, and says in the results where and how they are measured.
Status settle_in(Sessions& sessions, SubjectList& list) {
  benchmark::AddCustomContext("fastnorm", version());
  benchmark::AddCustomContext(
      "method",
      "median of single runs, caches flushed before each (GPU: a CUDA graph between events), "
      "random data, verified before; of three repetitions the median, their range is the spread");
  for (auto& [memory, session] : sessions) {
    const bool on_host = memory == MemorySpace::host;
    benchmark::AddCustomContext(on_host ? "host" : "device", session.device().name);
    if (on_host) {
      benchmark::AddCustomContext("host_threads", std::to_string(session.device().processors));
      benchmark::AddCustomContext("host_space", session.device().host_space);
    }
    const measure::Software software = session.software();
    if (!software.cuda.empty()) benchmark::AddCustomContext("cuda", software.cuda);
    if (!software.driver.empty()) benchmark::AddCustomContext("driver", software.driver);
    if (Status status = load_largest(memory, session, list); !status.ok()) return status;
    if (session.tensor_bytes() < large_tensor_bytes) continue;
    const Result<double> speed = session.copy_gb_s();
    if (!speed.ok()) return speed.status();
    benchmark::AddCustomContext(on_host ? "host_copy_gb_s" : "copy_gb_s",
                                std::to_string(std::lround(speed.value())));
  }
  return {};
}

void add_benchmarks(const std::vector<Subject>& subjects, Sessions& sessions, int& failures) {
  for (const Subject& subject : subjects) {
    Session& session = sessions.at(subject.target.backend->memory());
    // One iteration: the session takes the samples by the project's own method.
    benchmark::RegisterBenchmark(subject.name.c_str(),
                                 [&session, &subject, &failures](benchmark::State& state) {
                                   run(state, session, subject, failures);
                                 })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

void print_skipped(const std::vector<Skipped>& skipped) {
  std::map<std::string, std::string> names_by_reason;
  for (const auto& [what, why] : skipped) {
    std::string& names = names_by_reason[why];
    names += (names.empty() ? "" : ", ") + what;
  }
  for (const auto& [why, names] : names_by_reason) {
    std::fprintf(stderr, "skipped: %s: %s\n", why.c_str(), names.c_str());
  }
}

int run_all(const Options& options, FileOutput file_output, char* program) {
  const Result<std::vector<measure::Case>> cases = read_cases(options);
  if (!cases.ok()) return complain(cases.status(), usage);
  if (const Status status = initialize_benchmark(options, program); !status.ok()) {
    return complain(status, usage);
  }
  const Result<std::vector<Candidate>> targets = find_targets(options.backend);
  if (!targets.ok()) {
    const bool misspelt = targets.status().code() == StatusCode::invalid_argument;
    return complain(targets.status(), misspelt ? usage : failed);
  }
  SubjectList list = list_subjects(cases.value(), targets.value(), options.configs);
  const Status matched = keep_matching(list.subjects, benchmark::GetBenchmarkFilter());
  if (!matched.ok()) return complain(matched, usage);

  Result<Sessions> sessions = open_sessions(targets.value());
  if (!sessions.ok()) return complain(sessions.status(), failed);
  if (const Status added = add_software(targets.value()); !added.ok()) {
    return complain(added, failed);
  }
  if (const Status settled = settle_in(sessions.value(), list); !settled.ok()) {
    return complain(settled, failed);
  }
  if (list.subjects.empty()) {
    print_skipped(list.skipped);
    return complain(Status(StatusCode::invalid_argument, "no benchmark is left to run"), failed);
  }
  int failures = 0;
  add_benchmarks(list.subjects, sessions.value(), failures);
  run_benchmarks(file_output);
  print_skipped(list.skipped);
  return failures == 0 ? done : failed;
}

}  // namespace
}  // namespace fastnorm::bench

int main(int argc, char** argv) {
  const auto parsed = fastnorm::bench::parse_options(argc, argv);
  if (const int* exit_status = std::get_if<int>(&parsed)) return *exit_status;
  const auto& options = std::get<fastnorm::bench::Options>(parsed);
  // Before the library's first call, which reads it.
  if (!options.db.empty()) setenv("FASTNORM_TUNING_DB", options.db.c_str(), 1);
  return fastnorm::bench::run_all(options, fastnorm::bench::file_output_of(argc, argv), argv[0]);
}
