// SPDX-License-Identifier: Apache-2.0
#include "run_benchmarks.hpp"

#include <benchmark/benchmark.h>

#include <string_view>
#include <vector>

namespace fastnorm::bench {
namespace {

class PlainNames final : public benchmark::BenchmarkReporter {
 public:
  /// `inner` writes what this one passes on, and outlives it.
  explicit PlainNames(benchmark::BenchmarkReporter& inner) : inner_(inner) {}

  bool ReportContext(const Context& context) override {
    // Only now are the streams known: they are set on this object after its construction.
    inner_.SetOutputStream(&GetOutputStream());
    inner_.SetErrorStream(&GetErrorStream());
    return inner_.ReportContext(context);
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> plain = runs;
    for (Run& run : plain) {
      run.run_name.iterations.clear();
      run.run_name.time_type.clear();
    }
    inner_.ReportRuns(plain);
  }

  void Finalize() override { inner_.Finalize(); }

 private:
  benchmark::BenchmarkReporter& inner_;
};

}  // namespace

FileOutput file_output_of(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).rfind("--benchmark_out=", 0) == 0) return FileOutput::present;
  }
  return FileOutput::absent;
}

void run_benchmarks(FileOutput file_output) {
  PlainNames display(*benchmark::CreateDefaultDisplayReporter());
  benchmark::JSONReporter json;
  PlainNames file(json);
  // Everything: a filter is applied by whoever registers, to the plain names.
  benchmark::RunSpecifiedBenchmarks(&display, file_output == FileOutput::present ? &file : nullptr,
                                    ".");
  benchmark::ClearRegisteredBenchmarks();
  benchmark::Shutdown();
}

int benchmark_main(int argc, char** argv, int (*run_all)(FileOutput)) {
  constexpr int usage_error = 2;
  const FileOutput file_output = file_output_of(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return usage_error;
  return run_all(file_output);
}

}  // namespace fastnorm::bench
