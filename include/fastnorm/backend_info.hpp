// SPDX-License-Identifier: Apache-2.0
/// What a back end of this build runs on: what the record of a measurement has to say.
#pragma once

#include <fastnorm/export.hpp>
#include <fastnorm/status.hpp>
#include <fastnorm/types.hpp>

#include <string>

namespace fastnorm {

/// Texts are empty where there is nothing to say.
struct BackendInfo {
  MemorySpace memory = MemorySpace::host;  ///< host or device.
  std::string device_name{};               ///< "NVIDIA H200", or the CPU's model.
  int processors = 0;                      ///< Streaming multiprocessors; threads on a host.
  std::string host_space{};                ///< Kokkos' on a host: "Serial", "OpenMP", "Threads".
  /// What the loops on a host are compiled for: the level that is chosen at run time ("x86-64-v4"),
  /// or what the whole build is for (FASTNORM_HOST_ARCH, or "any").
  std::string instruction_set{};
  std::string cuda_version{};    ///< Of the runtime: "13.0".
  std::string kokkos_version{};  ///< "4.4.01".
};

/// Of the back end of that name ("cuda", "kokkos-host", "kokkos-cuda", as Plan::backend() has it)
/// on the device of that ordinal, or on the current one for -1. Errors: invalid_argument (a name,
/// an ordinal or a FASTNORM_HOST_ISA that there is not, with those that there are), unavailable (no
/// device).
FASTNORM_API Result<BackendInfo> backend_info(const std::string& backend, int device = -1);

}  // namespace fastnorm
