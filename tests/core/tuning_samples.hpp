// SPDX-License-Identifier: Apache-2.0
/// Devices, entries and files for the tests of the tuning database. Nothing here was measured.
#pragma once

#include "core/tuning_db.hpp"

#include <cstdint>
#include <string>

namespace fastnorm::test {

inline DeviceInfo sample_gpu() {
  DeviceInfo device;
  device.memory = MemorySpace::device;
  device.name = "NVIDIA H200";
  device.compute_capability_major = 9;
  device.processors = 132;
  device.l2_bytes = std::int64_t{60} << 20;
  device.memory_gb_s = 4800;
  return device;
}

inline DeviceInfo sample_host() {
  DeviceInfo device;
  device.memory = MemorySpace::host;
  device.name = "AMD EPYC 9004";
  device.processors = 2;
  device.host_space = "Serial";
  device.l2_bytes = std::int64_t{32} << 20;
  return device;
}

inline TuningEntry sample_entry(std::int64_t n, std::int64_t c = 64, std::int64_t groups = 8,
                                std::int64_t inner = 262144) {
  TuningEntry entry;
  entry.key.backend = "cuda";
  entry.key.deterministic = true;
  entry.shape = {n, c, groups, inner};
  entry.strategy = "split_two_kernel";
  entry.config = {{"threads", "256"}, {"blocks_per_row", "128"}, {"second_read", "backward"}};
  entry.stats = {3893.25, 4, 30, 5640, 3540};
  entry.provenance = {"0.1.0", "13.0", "580.65", "2026-11-29"};
  return entry;
}

inline TuningFile sample_file(const DeviceInfo& device) {
  TuningFile file;
  file.device_name = device.name;
  file.device = DeviceKey::of(device);
  file.source = "sample";
  return file;
}

inline bool same_entry(const TuningEntry& a, const TuningEntry& b) {
  return a.key == b.key && a.shape == b.shape && a.strategy == b.strategy && a.config == b.config &&
         a.stats.median_us == b.stats.median_us && a.stats.mad_us == b.stats.mad_us &&
         a.stats.samples == b.stats.samples && a.stats.default_us == b.stats.default_us &&
         a.stats.copy_us == b.stats.copy_us && a.stats.default_mad_us == b.stats.default_mad_us &&
         a.stats.copy_mad_us == b.stats.copy_mad_us &&
         a.stats.disturbed_by == b.stats.disturbed_by && a.provenance == b.provenance;
}

}  // namespace fastnorm::test
