// SPDX-License-Identifier: Apache-2.0
/// fastnorm-bench-tuning: what the tuning database costs a process and a call.
///
/// The entries' shapes are drawn at random with a fixed seed, so that a run is about the same
/// database as the last one. Nothing is normalised: no device is needed.
#include "core/tuning_db.hpp"
#include "core/tuning_yaml.hpp"
#include "run_benchmarks.hpp"

#include <fastnorm/version.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::bench {
namespace {

constexpr int entry_count = 10000;
constexpr const char* backend = "cuda";

DeviceInfo some_device() {
  DeviceInfo device;
  device.memory = MemorySpace::device;
  device.name = "Some GPU";
  device.compute_capability_major = 9;
  device.processors = 132;
  device.l2_bytes = std::int64_t{60} << 20;
  device.memory_gb_s = 4800;
  return device;
}

/// Descriptors as models have them: mostly group_norm and layer_norm, half types, widths that are
/// multiples of 32, images and sequences of any length.
class Descriptors {
 public:
  explicit Descriptors(unsigned seed) : random_(seed) {}

  NormDesc next() {
    NormDesc desc;
    desc.op = one_of({Op::group_norm, Op::group_norm, Op::layer_norm, Op::rms_norm});
    desc.x_type = one_of({DType::f32, DType::f16, DType::bf16});
    desc.y_type = desc.x_type;
    desc.affine_type = desc.x_type;
    if (desc.op == Op::group_norm) {
      desc.extents = {between(1, 64), 32 * between(1, 64), between(4, 256), between(4, 256)};
      desc.groups = 32;
      desc.layout = one_of({Layout::channels_first, Layout::channels_last});
      desc.epilogue.activation = one_of({Activation::none, Activation::silu});
    } else {
      desc.extents = {between(1, 64) * between(1, 4096), 64 * between(1, 128)};
      desc.residual = one_of({Residual::none, Residual::rounded_sum});
    }
    return desc;
  }

 private:
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  template <class Value>
  Value one_of(std::initializer_list<Value> values) {
    return values.begin()[between(0, static_cast<std::int64_t>(values.size()) - 1)];
  }

  std::mt19937 random_;
};

TuningEntry entry_for(const Problem& problem) {
  TuningEntry entry;
  entry.key = TuningKey::of(problem, backend);
  entry.key.deterministic = true;
  entry.shape = TuningShape::of(problem);
  entry.strategy = "stream_row";
  entry.config = {{"blocks_per_row", "128"}, {"exchange", "memory"}, {"slot_kib", "8"},
                  {"statistics_warps", "4"}, {"apply_warps", "8"},   {"apply_groups", "2"},
                  {"held_percent", "100"},   {"load", "evict_last"}, {"store", "normal"}};
  entry.stats = {3970.25, 4.125, 27, 4010.5, 3540.75};
  return entry;
}

std::vector<Problem> problems(unsigned seed, int count) {
  Descriptors descriptors(seed);
  std::vector<Problem> result;
  while (result.size() < static_cast<std::size_t>(count)) {
    const Result<Problem> problem = Problem::create(descriptors.next());
    if (problem.ok()) result.push_back(problem.value());
  }
  return result;
}

TuningFile some_file() {
  TuningFile file;
  file.device_name = some_device().name;
  file.device = DeviceKey::of(some_device());
  file.source = "some.yaml";
  for (const Problem& problem : problems(1, entry_count))
    file.entries.push_back(entry_for(problem));
  return file;
}

/// From the text of a file to a database that can be asked.
void parse(benchmark::State& state) {
  const std::string text = to_yaml(some_file());
  for ([[maybe_unused]] auto _ : state) {
    Result<ParsedTuningFile> parsed = parse_tuning_yaml(text, "some.yaml");
    if (!parsed.ok()) {
      state.SkipWithError(parsed.status().message().c_str());
      break;
    }
    std::vector<TuningFile> files;
    files.push_back(std::move(parsed).value().file);
    const TuningDb db(std::move(files));
    benchmark::DoNotOptimize(db.files().data());
  }
  state.counters["bytes"] = static_cast<double>(text.size());
}

/// `asked` are looked up by turns. `found` is the mean number of entries that each is given.
void look_up(benchmark::State& state, const std::vector<Problem>& asked) {
  const TuningDb db({some_file()});
  const DeviceInfo device = some_device();
  std::size_t next = 0;
  std::size_t found = 0;
  for ([[maybe_unused]] auto _ : state) {
    const std::vector<TuningMatch> matches =
        db.lookup(TuningQuery::of(asked[next], backend, device));
    found += matches.size();
    next = next + 1 < asked.size() ? next + 1 : 0;
  }
  state.counters["found"] = static_cast<double>(found) / static_cast<double>(state.iterations());
}

}  // namespace

int run_all(FileOutput file_output) {
  constexpr int asked = 1000;
  const std::string size = std::to_string(entry_count);
  benchmark::AddCustomContext("fastnorm", version());
  benchmark::AddCustomContext("kernel_version", std::to_string(kernel_version));
  benchmark::RegisterBenchmark(("tuning/parse/" + size).c_str(), parse)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(("tuning/lookup/tuned/" + size).c_str(), look_up,
                               problems(1, asked));
  benchmark::RegisterBenchmark(("tuning/lookup/untuned/" + size).c_str(), look_up,
                               problems(2, asked));
  run_benchmarks(file_output);
  return 0;
}

}  // namespace fastnorm::bench

int main(int argc, char** argv) {
  return fastnorm::bench::benchmark_main(argc, argv, fastnorm::bench::run_all);
}
