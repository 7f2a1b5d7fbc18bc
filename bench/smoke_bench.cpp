// SPDX-License-Identifier: Apache-2.0
/// fastnorm-bench-smoke: what calls on the host cost beside a copy of as many bytes, in seconds.
///
/// The rough end of fastnorm-bench, for a check on a busy machine: tensors that the caches hold,
/// calls and copies in turn, and of each the fastest time, which disturbances hardly reach.
/// bench/smoke.py takes the fastest of several runs and holds their ratios against the bounds.
#include "core/problem.hpp"
#include "measure/cases.hpp"
#include "measure/workbench.hpp"
#include "subjects.hpp"

#include <fastnorm/plan.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace fastnorm::bench {
namespace {

using clock = std::chrono::steady_clock;

struct Options {
  std::string cases;
  double seconds = 0.4;
  int calls = 1;
};

/// Two cache lines, so that source and target begin alike.
constexpr std::size_t alignment = 128;

char* aligned(std::vector<char>& memory) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
  return memory.data() + (alignment - at % alignment) % alignment;
}

template <class Work>
Result<double> seconds_of(const Work& work) {
  const clock::time_point start = clock::now();
  Status status = work();
  const std::chrono::duration<double> elapsed = clock::now() - start;
  if (!status.ok()) return status;
  return elapsed.count();
}

/// In seconds, of the fastest of each.
struct Fastest {
  double call = std::numeric_limits<double>::infinity();
  double copy = std::numeric_limits<double>::infinity();
};

Result<Fastest> fastest_of(measure::Workbench& workbench, const measure::Case& workload,
                           const Candidate& target, const Options& options) {
  const Result<NormDesc> desc = measure::to_desc(workload);
  if (!desc.ok()) return desc.status();
  constexpr std::uint64_t seed = 1;
  if (Status status = workbench.load(desc.value(), workload.affine, seed); !status.ok()) {
    return status;
  }
  PlanOptions on_host;
  on_host.memory = target.backend->memory();
  const Result<Plan> plan = Plan::create(desc.value(), on_host);
  if (!plan.ok()) return plan.status();
  const measure::Call call = measure::call_of(plan.value());
  const Result<measure::Verdict> verdict = workbench.verify(call);
  if (!verdict.ok()) return verdict.status();
  if (!verdict.value().ok()) return Status(StatusCode::device_error, verdict.value().describe());

  const Result<Problem> problem = Problem::create(desc.value());
  if (!problem.ok()) return problem.status();
  const auto copied = static_cast<std::size_t>(problem.value().moved_bytes() / 2);
  std::vector<char> from(copied + alignment, 1);
  std::vector<char> to(copied + alignment);
  std::vector<char> workspace(call.workspace_bytes + alignment);
  const NormArgs args = workbench.args();

  Fastest fastest;
  const clock::time_point start = clock::now();
  while (std::chrono::duration<double>(clock::now() - start).count() < options.seconds) {
    const Result<double> called = seconds_of([&] {
      for (int i = 0; i < options.calls; ++i) {
        Status status = call.run(args, aligned(workspace), Stream{});
        if (!status.ok()) return status;
      }
      return Status{};
    });
    if (!called.ok()) return called.status();
    const Result<double> copy = seconds_of([&] {
      std::memcpy(aligned(to), aligned(from), copied);
      return Status{};
    });
    fastest.call = std::min(fastest.call, called.value());
    fastest.copy = std::min(fastest.copy, copy.value());
  }
  return fastest;
}

int complain(const std::string& what, const Status& status) {
  std::fprintf(stderr, "fastnorm-bench-smoke: %s: %s\n", what.c_str(), status.message().c_str());
  return 1;
}

int run(const Options& options) {
  const Result<std::vector<measure::Case>> cases = measure::load_cases(options.cases);
  if (!cases.ok()) return complain("cases", cases.status());
  const Result<std::vector<Candidate>> targets = find_targets("kokkos-host");
  if (!targets.ok()) return complain("back end", targets.status());
  const Candidate& target = targets.value().front();
  const auto workbench = measure::make_workbench(*target.device);
  if (!workbench.ok()) return complain("workbench", workbench.status());

  std::printf("{\"machine\": \"%s, %s, %d thread%s\", \"us\": {", target.device->name.c_str(),
              FASTNORM_SMOKE_ARCH, target.device->processors,
              target.device->processors == 1 ? "" : "s");
  const char* separator = "";
  for (const measure::Case& workload : cases.value()) {
    const Result<Fastest> fastest = fastest_of(*workbench.value(), workload, target, options);
    if (!fastest.ok()) return complain(workload.name, fastest.status());
    std::printf("%s\"%s\": {\"call\": %.4f, \"copy\": %.4f}", separator, workload.name.c_str(),
                fastest.value().call * 1e6, fastest.value().copy * 1e6);
    separator = ", ";
  }
  std::printf("}}\n");
  return 0;
}

}  // namespace
}  // namespace fastnorm::bench

int main(int argc, char** argv) {
  fastnorm::bench::Options options;
  CLI::App app("What calls on the host cost beside a copy of as many bytes");
  app.add_option("--cases", options.cases, "file of cases")->required();
  app.add_option("--seconds", options.seconds, "of each case")->check(CLI::PositiveNumber);
  app.add_option("--calls", options.calls,
                 "calls for each that is timed: 2 is a back end of half the speed, for tests")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  return fastnorm::bench::run(options);
}
