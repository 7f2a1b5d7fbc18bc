// SPDX-License-Identifier: Apache-2.0
/// fastnorm-bench-follow: what the L2 priorities of a normalization's loads and stores cost the
/// kernel that follows.
///
/// Behind the normalization a plain kernel reads memory that the normalization never touched, and
/// reads it again: once from the memory, and once from what of it the L2 has room for between lines
/// that the normalization left. The same behind a plain copy says what that would take anyway.
#include "backends/cuda/cuda_status.hpp"
#include "core/plan_impl.hpp"
#include "follow_clock.hpp"
#include "follow_subjects.hpp"
#include "measure/cuda_copies.cuh"
#include "measure/workbench.hpp"
#include "run_benchmarks.hpp"
#include "subjects.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::bench {
namespace {

constexpr std::array<std::size_t, 3> passes_mib = {8, 16, 32};

constexpr std::size_t bytes_of(std::size_t mib) { return mib << 20; }

/// Measures at once, and registers benchmarks that report what came out: a first and a second pass
/// are of one measurement.
class FollowBench {
 public:
  FollowBench(const Candidate& target, std::unique_ptr<measure::Workbench> workbench,
              FollowClock clock)
      : target_(target), workbench_(std::move(workbench)), clock_(std::move(clock)) {}

  void measure(const FollowedNorm& norm) {
    const std::string name = "follow/" + norm.strategy;
    const Result<Plan> plan = default_plan(norm);
    if (!plan.ok()) return leave_out(name, plan.status());
    const Status loaded = workbench_->load(norm.desc, measure::Affine::present, 1);
    if (!loaded.ok()) return fail(name, loaded);
    follow_copy(name + "/copy", static_cast<std::size_t>(plan.value().impl().problem.x_bytes()));
    for (const Priorities& priorities : all_priorities()) {
      follow_plan(name + "/load=" + priorities.load + "/store=" + priorities.store,
                  with_priorities(norm, plan.value(), priorities));
    }
  }

  int failures() const noexcept { return failures_; }

 private:
  void follow_copy(const std::string& name, std::size_t bytes) {
    const NormArgs args = workbench_->args();
    follow(name, "plain copy of " + std::to_string(bytes) + " bytes", [=](Stream stream) {
      return cuda::to_status(measure::enqueue_copy(measure::copy_shapes.back(), args.y, args.x,
                                                   bytes, static_cast<cudaStream_t>(stream.handle)),
                             "copying with a kernel");
    });
  }

  void follow_plan(const std::string& name, const Result<Plan>& plan) {
    if (!plan.ok()) return leave_out(name, plan.status());
    const measure::Call call = measure::call_of(plan.value());
    const Result<measure::Verdict> verdict = workbench_->verify(call);
    if (!verdict.ok()) return fail(name, verdict.status());
    if (!verdict.value().ok()) {
      return fail(name, Status(StatusCode::device_error,
                               plan.value().describe() + ": " + verdict.value().describe()));
    }
    std::unique_ptr<DeviceBuffer> workspace;
    if (call.workspace_bytes > 0) {
      Result<std::unique_ptr<DeviceBuffer>> allocated =
          target_.backend->allocate(*target_.device, call.workspace_bytes);
      if (!allocated.ok()) return fail(name, allocated.status());
      workspace = std::move(allocated).value();
    }
    follow(name, plan.value().describe(), [&](Stream stream) {
      return call.run(workbench_->args(), workspace ? workspace->data() : nullptr, stream);
    });
  }

  void follow(const std::string& name, const std::string& label, const measure::Work& before) {
    for (const std::size_t mib : passes_mib) {
      const std::string of_size = name + "/" + std::to_string(mib) + "MiB";
      const Result<PassTimes> times = clock_.time(before, bytes_of(mib));
      if (!times.ok()) return fail(of_size, times.status());
      report(of_size + "/first", label, times.value().first_us);
      report(of_size + "/second", label, times.value().second_us);
    }
  }

  /// What a strategy does not offer here is no failure.
  void leave_out(const std::string& name, const Status& why) {
    if (why.code() != StatusCode::unsupported) return fail(name, why);
    std::fprintf(stderr, "skipped: %s: %s\n", why.message().c_str(), name.c_str());
  }

  void fail(const std::string& name, const Status& why) {
    ++failures_;
    add(name, [why](benchmark::State& state) { state.SkipWithError(why.message().c_str()); });
  }

  static void report(const std::string& name, const std::string& label, double us) {
    add(name, [label, us](benchmark::State& state) {
      for ([[maybe_unused]] auto _ : state) state.SetIterationTime(us * 1e-6);
      state.SetLabel(label);
    });
  }

  template <class Function>
  static void add(const std::string& name, Function&& function) {
    benchmark::RegisterBenchmark(name.c_str(), std::forward<Function>(function))
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }

  Candidate target_;
  std::unique_ptr<measure::Workbench> workbench_;
  FollowClock clock_;
  int failures_ = 0;
};

Result<FollowBench> open_bench() {
  const Result<std::vector<Candidate>> targets = find_targets("cuda");
  if (!targets.ok()) return targets.status();
  const Candidate& target = targets.value().front();
  Result<std::unique_ptr<measure::Workbench>> workbench = measure::make_workbench(*target.device);
  if (!workbench.ok()) return workbench.status();
  const std::size_t most_mib = *std::max_element(passes_mib.begin(), passes_mib.end());
  Result<FollowClock> clock = FollowClock::create(target, bytes_of(most_mib));
  if (!clock.ok()) return clock.status();
  return FollowBench(target, std::move(workbench).value(), std::move(clock).value());
}

int run_all(FileOutput file_output) {
  Result<FollowBench> bench = open_bench();
  if (!bench.ok()) {
    std::fprintf(stderr, "fastnorm-bench-follow: %s: %s\n", to_string(bench.status().code()),
                 bench.status().message().c_str());
    return 1;
  }
  for (const FollowedNorm& norm : followed_norms()) bench.value().measure(norm);
  run_benchmarks(file_output);
  return bench.value().failures() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace fastnorm::bench

int main(int argc, char** argv) {
  return fastnorm::bench::benchmark_main(argc, argv, fastnorm::bench::run_all);
}
