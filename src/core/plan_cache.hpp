// SPDX-License-Identifier: Apache-2.0
/// Plans of the free functions, by descriptor and options. Thread-safe and bounded.
#pragma once

#include <fastnorm/plan.hpp>
#include <fastnorm/status.hpp>

#include <cstddef>
#include <shared_mutex>
#include <unordered_map>

namespace fastnorm {

/// Where a call runs.
struct Placement {
  MemorySpace memory = MemorySpace::host;
  int device = 0;
};

class PlanCache {
 public:
  /// At most twice `generation_size` plans are kept.
  explicit PlanCache(std::size_t generation_size = 512) : generation_size_(generation_size) {}

  /// The cached plan, or a new one for `options` at `placement`, which stands in for the options'
  /// own memory and device. A hit allocates nothing and copies no strings. Two threads that miss at
  /// once may both create a plan; one of the two equal ones is kept.
  Result<Plan> get(const NormDesc& desc, const PlanOptions& options, Placement placement);

  void clear();
  std::size_t size() const;

 private:
  struct Key {
    NormDesc desc;
    PlanOptions options;
  };
  /// A key that is only looked at: a lookup copies no strings.
  struct KeyView {
    const NormDesc* desc;
    const PlanOptions* options;
    Placement placement;
  };
  static std::size_t hash(const KeyView& key) noexcept;
  static bool equal(const Key& stored, const KeyView& key) noexcept;

  using Generation = std::unordered_multimap<std::size_t, std::pair<Key, Plan>>;
  static const Plan* find(const Generation& generation, std::size_t hash,
                          const KeyView& key) noexcept;
  const Plan* insert(std::size_t hash, Key key, const Plan& plan);

  const std::size_t generation_size_;
  mutable std::shared_mutex mutex_;
  /// When `young_` is full it becomes `old_`, and what was there goes: plans in use come back at
  /// the price of a copy, without bookkeeping on every hit.
  Generation young_;
  Generation old_;
};

/// The one that the free functions share.
PlanCache& plan_cache();

}  // namespace fastnorm
