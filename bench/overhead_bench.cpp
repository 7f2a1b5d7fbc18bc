// SPDX-License-Identifier: Apache-2.0
/// fastnorm-bench-overhead: what a call costs the host, beside launching the same kernels bare.
///
/// The tensor is tiny, so that the device keeps up and what is timed is the launching. On a host
/// back end the work itself is in the time, the same in all three.
#include "allocation_count.hpp"
#include "core/plan_impl.hpp"
#include "launch_queue.hpp"
#include "measure/workbench.hpp"
#include "run_benchmarks.hpp"

#include <fastnorm/fastnorm.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::bench {
namespace {

/// Below the depth of a stream's queue: a full queue would make the host wait for the device.
constexpr int calls_per_batch = 200;
constexpr int batches = 101;

/// What is called: the library's choice, or a strategy that needs a workspace and two kernels.
struct Subject {
  MemorySpace memory = MemorySpace::host;
  Extents extents;
  std::string strategy;  ///< Empty: the library's choice.

  NormDesc desc() const {
    NormDesc desc;
    desc.op = Op::group_norm;
    desc.extents = extents;
    desc.groups = 2;
    return desc;
  }

  PlanOptions options() const {
    PlanOptions options;
    options.memory = memory;
    options.strategy = strategy;
    return options;
  }
};

std::vector<Subject> subjects() {
  return {{MemorySpace::device, {1, 8, 4, 4}, ""},
          {MemorySpace::device, {1, 2, 2048}, "split_two_kernel"},
          {MemorySpace::host, {1, 8, 4, 4}, ""}};
}

/// Everything that the calls of one memory space need, ready and warm.
struct Bench {
  Subject subject;
  std::unique_ptr<measure::Workbench> workbench;
  std::unique_ptr<LaunchQueue> queue;
  std::unique_ptr<Plan> plan;
  std::unique_ptr<DeviceBuffer> workspace;
  NormArgs args;
};

struct CallCost {
  double us = 0;  ///< Median over the batches of the mean within one.
  double allocations_per_call = 0;
};

Result<Bench> make_bench(const Subject& subject) {
  Result<Plan> plan = Plan::create(subject.desc(), subject.options());
  if (!plan.ok()) return plan.status();
  const Candidate& target = plan.value().impl().selection.candidate;

  Result<std::unique_ptr<measure::Workbench>> workbench = measure::make_workbench(*target.device);
  if (!workbench.ok()) return workbench.status();
  const Status loaded = workbench.value()->load(subject.desc(), measure::Affine::present, 1);
  if (!loaded.ok()) return loaded;

  Bench bench;
  bench.subject = subject;
  bench.workbench = std::move(workbench).value();
  bench.args = bench.workbench->args();
  bench.plan = std::make_unique<Plan>(plan.value());
  if (plan.value().workspace_bytes() > 0) {
    Result<std::unique_ptr<DeviceBuffer>> workspace =
        target.backend->allocate(*target.device, plan.value().workspace_bytes());
    if (!workspace.ok()) return workspace.status();
    bench.workspace = std::move(workspace).value();
  }
  if (subject.memory == MemorySpace::host) {
    bench.queue = make_host_queue();
  } else {
    Result<std::unique_ptr<LaunchQueue>> queue = make_device_queue();
    if (!queue.ok()) return queue.status();
    bench.queue = std::move(queue).value();
  }
  return bench;
}

Status run_batch(const std::function<Status()>& call) {
  for (int i = 0; i < calls_per_batch; ++i) {
    if (Status status = call(); !status.ok()) return status;
  }
  return {};
}

Result<CallCost> time_calls(const std::function<Status()>& call, LaunchQueue& queue) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> samples_us;
  samples_us.reserve(batches);
  if (const Status warm = run_batch(call); !warm.ok()) return warm;
  if (const Status drained = queue.drain(); !drained.ok()) return drained;
  const std::int64_t allocations_before = allocation_count();
  for (int batch = 0; batch < batches; ++batch) {
    const Clock::time_point start = Clock::now();
    const Status status = run_batch(call);
    const Clock::time_point stop = Clock::now();
    if (!status.ok()) return status;
    if (const Status drained = queue.drain(); !drained.ok()) return drained;
    samples_us.push_back(std::chrono::duration<double, std::micro>(stop - start).count() /
                         calls_per_batch);
  }
  CallCost cost;
  cost.allocations_per_call = static_cast<double>(allocation_count() - allocations_before) /
                              (static_cast<double>(batches) * calls_per_batch);
  cost.us = measure::median(std::move(samples_us));
  return cost;
}

void run(benchmark::State& state, const std::function<Status()>& call, const Bench& bench,
         int& failures) {
  const Result<CallCost> cost = time_calls(call, *bench.queue);
  if (!cost.ok()) {
    ++failures;
    state.SkipWithError(cost.status().message().c_str());
    return;
  }
  if (cost.value().allocations_per_call > 0) ++failures;
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(cost.value().us * 1e-6);
  state.counters["allocations_per_call"] = cost.value().allocations_per_call;
  state.SetLabel(bench.plan->describe());
}

Status add_benchmarks(const Bench& bench, int& failures) {
  const std::size_t bytes = bench.plan->workspace_bytes();
  void* const workspace = bench.workspace ? bench.workspace->data() : nullptr;
  Result<std::function<Status()>> bare =
      bench.queue->bare_launch(*bench.plan, bench.args, workspace);
  if (!bare.ok()) return bare.status();

  NormOptions options;
  options.stream = bench.queue->stream();
  options.plan = bench.subject.options();
  const NormDesc desc = bench.subject.desc();
  const NormArgs args = bench.args;
  const std::vector<std::pair<std::string, std::function<Status()>>> calls = {
      {"launch", std::move(bare).value()},
      {"execute",
       [plan = *bench.plan, args, workspace, bytes, stream = options.stream] {
         return plan.execute(args, workspace, bytes, stream);
       }},
      {"group_norm", [desc, args, options] {
         return group_norm(desc.extents, desc.groups, static_cast<const float*>(args.x),
                           static_cast<float*>(args.y), static_cast<const float*>(args.gamma),
                           static_cast<const float*>(args.beta), options);
       }}};
  const std::string target =
      bench.plan->backend() + (bench.subject.strategy.empty() ? "" : ":" + bench.subject.strategy);
  for (const auto& [what, call] : calls) {
    benchmark::RegisterBenchmark(("overhead/" + what + "/" + target).c_str(),
                                 [call = call, &bench, &failures](benchmark::State& state) {
                                   run(state, call, bench, failures);
                                 })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  return {};
}

}  // namespace

int run_all(FileOutput file_output) {
  int failures = 0;
  std::vector<std::unique_ptr<Bench>> ready;
  for (const Subject& subject : subjects()) {
    Result<Bench> bench = make_bench(subject);
    Status status = bench.status();
    if (status.ok()) {
      ready.push_back(std::make_unique<Bench>(std::move(bench).value()));
      status = add_benchmarks(*ready.back(), failures);
    }
    if (status.code() == StatusCode::unavailable) {
      std::fprintf(stderr, "skipped: %s: %s\n", to_string(subject.memory),
                   status.message().c_str());
    } else if (!status.ok()) {
      std::fprintf(stderr, "fastnorm-bench-overhead: %s\n", status.message().c_str());
      return 1;
    }
  }
  run_benchmarks(file_output);
  return failures == 0 ? 0 : 1;
}

}  // namespace fastnorm::bench

int main(int argc, char** argv) {
  return fastnorm::bench::benchmark_main(argc, argv, fastnorm::bench::run_all);
}
