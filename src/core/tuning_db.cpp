// SPDX-License-Identifier: Apache-2.0
#include "core/tuning_db.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace fastnorm {
namespace {

bool is_host(const DeviceKey& key) { return key.compute_capability_major == 0; }

/// Within 5%: drivers and boards of one product differ by less, products by more. An unknown (zero)
/// agrees with another unknown only.
bool about_equal(std::int64_t a, std::int64_t b) {
  const auto [least, most] = std::minmax(a, b);
  return least == most || (least > 0 && most - least <= most / 20);
}

auto sort_key(const TuningEntry& entry) {
  const TuningKey& key = entry.key;
  const TuningShape& shape = entry.shape;
  // By name, so that a value added to an enum does not reorder the files.
  const auto name = [](auto value) { return std::string_view(to_string(value)); };
  return std::tuple(std::string_view(key.backend), name(key.op), name(key.layout), name(key.x_type),
                    name(key.y_type), name(key.affine_type), name(key.epilogue.residual),
                    name(key.epilogue.modulation), name(key.epilogue.activation),
                    name(key.epilogue.gamma), name(key.epilogue.normalised), key.alignment,
                    key.deterministic, shape.n, shape.c, shape.groups, shape.inner);
}

struct Ranked {
  MatchQuality quality = MatchQuality::exact;
  std::size_t file = 0;
  TuningNeighbour neighbour;

  friend bool operator<(const Ranked& a, const Ranked& b) {
    return std::tie(a.quality, a.file, a.neighbour) < std::tie(b.quality, b.file, b.neighbour);
  }
};

MatchQuality quality_of(DeviceMatch device, const TuningNeighbour& neighbour) {
  if (device != DeviceMatch::exact) return MatchQuality::same_arch;
  if (!neighbour.in_bucket) return MatchQuality::nearest;
  const bool same_problem = neighbour.same_shape && neighbour.same_epilogue;
  return same_problem ? MatchQuality::exact : MatchQuality::bucket;
}

}  // namespace

DeviceKey DeviceKey::of(const DeviceInfo& device) {
  DeviceKey key;
  key.processors = device.processors;
  if (device.memory == MemorySpace::host) {
    key.host_cpu = device.name;
    key.host_space = device.host_space;
    return key;
  }
  constexpr std::int64_t mib = std::int64_t{1} << 20;
  key.compute_capability_major = device.compute_capability_major;
  key.compute_capability_minor = device.compute_capability_minor;
  key.l2_mib = (device.l2_bytes + mib / 2) / mib;
  key.memory_gb_s = device.memory_gb_s;
  return key;
}

DeviceMatch match(const DeviceKey& entry, const DeviceKey& device) noexcept {
  if (is_host(entry) != is_host(device)) return DeviceMatch::none;
  if (is_host(entry)) {
    if (entry.host_cpu != device.host_cpu) return DeviceMatch::none;
    const bool same =
        entry.processors == device.processors && entry.host_space == device.host_space;
    return same ? DeviceMatch::exact : DeviceMatch::same_arch;
  }
  if (entry.compute_capability_major != device.compute_capability_major ||
      entry.compute_capability_minor != device.compute_capability_minor) {
    return DeviceMatch::none;
  }
  const bool same = entry.processors == device.processors &&
                    about_equal(entry.l2_mib, device.l2_mib) &&
                    about_equal(entry.memory_gb_s, device.memory_gb_s);
  return same ? DeviceMatch::exact : DeviceMatch::same_arch;
}

bool sorts_before(const TuningEntry& a, const TuningEntry& b) { return sort_key(a) < sort_key(b); }

const char* to_string(MatchQuality quality) noexcept {
  switch (quality) {
    case MatchQuality::exact:
      return "exact";
    case MatchQuality::bucket:
      return "bucket";
    case MatchQuality::nearest:
      return "nearest";
    case MatchQuality::same_arch:
      return "same_arch";
  }
  return "unknown match";
}

TuningQuery TuningQuery::of(const Problem& problem, std::string_view backend,
                            const DeviceInfo& device) {
  return {TuningKey::of(problem, backend), TuningShape::of(problem), &device};
}

TuningDb::TuningDb(std::vector<TuningFile> files) : files_(std::move(files)) {
  indices_.reserve(files_.size());
  for (const TuningFile& file : files_) indices_.emplace_back(file.entries);
}

std::vector<TuningMatch> TuningDb::lookup(const TuningQuery& query) const {
  const DeviceKey device = DeviceKey::of(*query.device);
  std::vector<Ranked> found;
  found.reserve(2 * max_matches);  // a user's file and a shipped one
  for (std::size_t file = 0; file < files_.size(); ++file) {
    const DeviceMatch device_match = match(files_[file].device, device);
    if (device_match == DeviceMatch::none) continue;
    for (const TuningNeighbour& neighbour : indices_[file].find_near(query, max_matches)) {
      found.push_back({quality_of(device_match, neighbour), file, neighbour});
    }
  }
  std::sort(found.begin(), found.end());
  if (found.size() > max_matches) found.erase(found.begin() + max_matches, found.end());

  std::vector<TuningMatch> matches;
  matches.reserve(found.size());
  for (const Ranked& match : found) {
    const TuningFile& file = files_[match.file];
    matches.push_back({&file.entries[match.neighbour.entry], &file, match.quality});
  }
  return matches;
}

}  // namespace fastnorm
