// SPDX-License-Identifier: Apache-2.0
#include "tuner/software_here.hpp"

#include "core/measured_otherwise.hpp"
#include "measure/driver_version.hpp"

namespace fastnorm::tuner {

Provenance software_here(const Backend& backend) {
  Provenance here = library_provenance(backend);
  if (backend.memory() == MemorySpace::device) here.driver = measure::driver_version();
  return here;
}

std::string recheck_note(const TuningFile& file, const Backend& backend, const std::string& db) {
  const Result<const DeviceInfo*> device = backend.device(-1);
  if (!device.ok() || match(file.device, DeviceKey::of(*device.value())) != DeviceMatch::exact) {
    return {};
  }
  return fastnorm::recheck_note(file, backend.name(), software_here(backend), db);
}

}  // namespace fastnorm::tuner
