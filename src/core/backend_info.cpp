// SPDX-License-Identifier: Apache-2.0
#include "core/backend.hpp"
#include "core/dispatcher.hpp"

#include <fastnorm/backend_info.hpp>

namespace fastnorm {

Result<BackendInfo> backend_info(const std::string& backend, int device) {
  const Backend* const found = find_backend(backend);
  if (found == nullptr) return unknown_backend(backend);
  const Result<const DeviceInfo*> runs_on = found->device(device);
  if (!runs_on.ok()) return runs_on.status();
  Result<Software> software = found->software();
  if (!software.ok()) return software.status();
  BackendInfo info;
  info.memory = found->memory();
  info.device_name = runs_on.value()->name;
  info.processors = runs_on.value()->processors;
  info.host_space = runs_on.value()->host_space;
  info.instruction_set = software.value().instruction_set;
  info.cuda_version = software.value().cuda;
  info.kokkos_version = software.value().kokkos;
  return info;
}

}  // namespace fastnorm
