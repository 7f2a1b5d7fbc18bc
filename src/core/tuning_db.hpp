// SPDX-License-Identifier: Apache-2.0
/// The tuning database in memory: what was measured, and how a problem finds it. No YAML here.
#pragma once

#include "core/config.hpp"
#include "core/device_info.hpp"
#include "core/disturbances.hpp"
#include "core/problem.hpp"
#include "core/provenance.hpp"
#include "core/tuning_index.hpp"
#include "core/tuning_key.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm {

/// Raised when a kernel changes enough that old measurements say nothing about it.
inline constexpr int kernel_version = 5;

/// What identifies a device: never its marketing name, under which one chip may be sold twice.
struct DeviceKey {
  int compute_capability_major = 0;  ///< 0 for a host.
  int compute_capability_minor = 0;
  int processors = 0;  ///< SMs, or host threads.
  std::int64_t l2_mib = 0;
  std::int64_t memory_gb_s = 0;
  std::string host_cpu;    ///< CPU model; empty for a device.
  std::string host_space;  ///< Kokkos execution space; empty for a device.

  static DeviceKey of(const DeviceInfo& device);
};

enum class DeviceMatch { none, same_arch, exact };

/// exact: all agree (bandwidth and L2 within 5%). same_arch: same compute capability, or same CPU
/// model.
DeviceMatch match(const DeviceKey& entry, const DeviceKey& device) noexcept;

/// Microseconds.
struct TuningStats {
  double median_us = 0;
  double mad_us = 0;  ///< Median absolute deviation.
  int samples = 0;
  double default_us = 0;  ///< The heuristic's choice, same run.
  double copy_us = 0;     ///< The copy ceiling, same run.

  // Of later versions; entries may do without.
  double default_mad_us = 0;
  double copy_mad_us = 0;
  Disturbances disturbed_by{};  ///< What made the figures worth less while they were measured.
};

struct TuningEntry {
  TuningKey key;
  TuningShape shape;
  std::string strategy;
  ConfigFields config;
  TuningStats stats;
  Provenance provenance;  ///< With what the stats were measured.
};

/// The order of entries in a file: by key, then by shape. Entries that are equal in it measured the
/// same.
bool sorts_before(const TuningEntry& a, const TuningEntry& b);

/// The content of one file: one device and its entries.
struct TuningFile {
  enum class Owner { user, library };  ///< The library's are shipped with it.

  std::string device_name;  ///< For people.
  DeviceKey device;
  int kernel_version = fastnorm::kernel_version;
  std::vector<TuningEntry> entries;
  std::string source;  ///< Path, or "shipped NAME"; for messages.
  Owner owner = Owner::user;
};

/// How close an entry is to what is looked for; better ones first.
enum class MatchQuality {
  exact,
  bucket,     ///< The same shape, but with another batch size or another epilogue.
  nearest,    ///< A similar shape.
  same_arch,  ///< Any of these on another device of the architecture.
};
const char* to_string(MatchQuality quality) noexcept;

struct TuningMatch {
  const TuningEntry* entry = nullptr;
  const TuningFile* file = nullptr;
  MatchQuality quality = MatchQuality::exact;
};

/// What is looked for.
struct TuningQuery {
  /// Its alignment is that of the call's pointers. Where it says deterministic, entries that are
  /// not do not count; else all do.
  TuningKey key;
  TuningShape shape;
  const DeviceInfo* device = nullptr;

  /// Entries for the problem, with the widest alignment, deterministic or not.
  static TuningQuery of(const Problem& problem, std::string_view backend, const DeviceInfo& device);
};

/// Immutable after construction, so that any number of threads may look things up.
class TuningDb {
 public:
  TuningDb() = default;
  /// Earlier files win over later ones of the same quality (user before shipped).
  explicit TuningDb(std::vector<TuningFile> files);

  /// What applies to the query, best first: by quality, then by file, then by how near the shape
  /// is, then by measured time. At most max_matches: a match is a suggestion, and the caller goes
  /// down the list until a variant supports one.
  std::vector<TuningMatch> lookup(const TuningQuery& query) const;
  static constexpr std::size_t max_matches = 8;

  const std::vector<TuningFile>& files() const noexcept { return files_; }

 private:
  std::vector<TuningFile> files_;
  std::vector<TuningIndex> indices_;  ///< One a file.
};

}  // namespace fastnorm
