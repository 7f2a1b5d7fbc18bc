// SPDX-License-Identifier: Apache-2.0
#include "c_api/from_c.hpp"
#include "c_api/last_error.hpp"
#include "c_api/structs.hpp"
#include "c_api/to_c.hpp"
#include "c_api/versioned_struct.hpp"

#include <fastnorm/backend_info.hpp>
#include <fastnorm/fastnorm.h>

#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace {

using fastnorm::Status;
namespace c_api = fastnorm::c_api;

/// A copy that is there for ever. There are few different ones: names of devices, versions.
const char* kept(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string>& texts = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return texts.insert(text).first->c_str();
}

Status describe(const char* backend, std::int32_t device, fastnorm_backend_info* to) {
  constexpr c_api::StructSizes sizes = c_api::sizes_of<fastnorm_backend_info>;
  if (Status status = c_api::check_struct_size("info", to, sizes); !status.ok()) return status;
  const fastnorm::Result<fastnorm::BackendInfo> found = fastnorm::backend_info(backend, device);
  if (!found.ok()) return found.status();
  const fastnorm::BackendInfo& from = found.value();
  fastnorm_backend_info info = c_api::default_backend_info();
  info.memory = static_cast<fastnorm_memory>(from.memory);
  info.processors = from.processors;
  info.device_name = kept(from.device_name);
  info.host_space = kept(from.host_space);
  info.instruction_set = kept(from.instruction_set);
  info.cuda_version = kept(from.cuda_version);
  info.kokkos_version = kept(from.kokkos_version);
  c_api::write_struct(&info, sizes, to, to->struct_size);
  return {};
}

}  // namespace

fastnorm_status fastnorm_backend_describe(const char* backend, int32_t device,
                                          fastnorm_backend_info* info) {
  return c_api::guarded([&] {
    if (backend == nullptr) return c_api::missing("backend", "a back end's name");
    if (info == nullptr) return c_api::missing("info", "a fastnorm_backend_info");
    return describe(backend, device, info);
  });
}
