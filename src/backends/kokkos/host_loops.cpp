// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/host_loops.hpp"

#include "core/quoted.hpp"

#include <cstdlib>
#include <string>

namespace fastnorm::kokkos {

// Each in a source of its own, compiled for its instruction set.
inline namespace any_cpu {
extern const HostLoops loops;
}
#ifdef FASTNORM_X86_64_LEVELS
namespace x86_64_v3 {
extern const HostLoops loops;
}
namespace x86_64_v4 {
extern const HostLoops loops;
}

namespace {

/// What the compiler may use at the level. (BMI1, F16C, LZCNT and MOVBE came with what is asked
/// for.)
bool runs_x86_64_v3() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi2") != 0;
}

bool runs_x86_64_v4() {
  return runs_x86_64_v3() && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
}

}  // namespace
#endif

std::vector<HostIsa> runnable_isas() {
  std::vector<HostIsa> all{{"any", &any_cpu::loops}};
#ifdef FASTNORM_X86_64_LEVELS
  if (runs_x86_64_v3()) all.push_back({"x86-64-v3", &x86_64_v3::loops});
  if (runs_x86_64_v4()) all.push_back({"x86-64-v4", &x86_64_v4::loops});
#endif
  return all;
}

Result<HostIsa> host_isa() {
  const std::vector<HostIsa> all = runnable_isas();
  const char* wanted = std::getenv("FASTNORM_HOST_ISA");
  if (wanted == nullptr || *wanted == '\0') return all.back();
  std::string names;
  for (const HostIsa& isa : all) {
    if (isa.name == wanted) return isa;
    names += (names.empty() ? "" : ", ") + std::string(isa.name);
  }
  return Status(StatusCode::invalid_argument, "FASTNORM_HOST_ISA=" + in_quotes(wanted) +
                                                  " must be one of " + names +
                                                  ", which this build has and this processor runs");
}

}  // namespace fastnorm::kokkos
