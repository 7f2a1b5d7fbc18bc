// SPDX-License-Identifier: Apache-2.0
#include "core/plan_cache.hpp"

#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <utility>

namespace fastnorm {
namespace {

/// Mixes one value into a hash (the multiply-xorshift finaliser of splitmix64).
std::size_t mix(std::size_t hash, std::uint64_t value) noexcept {
  std::uint64_t z = hash + 0x9e3779b97f4a7c15u + value;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<std::size_t>(z ^ (z >> 31));
}

std::uint64_t bits_of(double value) noexcept {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

std::uint64_t bits_of(float a, float b) noexcept {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::memcpy(&low, &a, sizeof low);
  std::memcpy(&high, &b, sizeof high);
  return low | std::uint64_t{high} << 32;
}

bool same_epilogue(const Epilogue& a, const Epilogue& b) noexcept {
  return a.activation == b.activation && bits_of(a.slope, a.alpha) == bits_of(b.slope, b.alpha) &&
         bits_of(a.lower, a.upper) == bits_of(b.lower, b.upper) && a.gamma == b.gamma &&
         a.normalised == b.normalised && a.modulation == b.modulation;
}

bool same_desc(const NormDesc& a, const NormDesc& b) noexcept {
  return a.op == b.op && a.extents == b.extents && a.groups == b.groups &&
         a.normalized_rank == b.normalized_rank && bits_of(a.eps) == bits_of(b.eps) &&
         a.x_type == b.x_type && a.y_type == b.y_type && a.affine_type == b.affine_type &&
         a.layout == b.layout && a.x_strides == b.x_strides && a.y_strides == b.y_strides &&
         a.residual == b.residual && same_epilogue(a.epilogue, b.epilogue);
}

bool same_options(const PlanOptions& a, const PlanOptions& b) noexcept {
  return a.deterministic == b.deterministic && a.tuning == b.tuning && a.launches == b.launches &&
         a.backend == b.backend && a.strategy == b.strategy && a.config == b.config;
}

}  // namespace

std::size_t PlanCache::hash(const KeyView& key) noexcept {
  const NormDesc& desc = *key.desc;
  const PlanOptions& options = *key.options;
  std::size_t h = mix(0, static_cast<std::uint64_t>(desc.groups));
  for (int axis = 0; axis < desc.extents.rank() && axis < Extents::max_rank; ++axis) {
    h = mix(h, static_cast<std::uint64_t>(desc.extents[axis]));
  }
  for (const Strides* strides : {&desc.x_strides, &desc.y_strides}) {
    for (int axis = 0; axis < strides->rank() && axis < Strides::max_rank; ++axis) {
      h = mix(h, static_cast<std::uint64_t>((*strides)[axis]));
    }
  }
  h = mix(h, bits_of(desc.eps));
  const auto small = [](auto value) { return static_cast<std::uint64_t>(value); };
  const Epilogue& epilogue = desc.epilogue;
  h = mix(h, small(desc.op) | small(desc.x_type) << 4 | small(desc.y_type) << 8 |
                 small(desc.affine_type) << 12 | small(desc.layout) << 16 |
                 small(desc.residual) << 20 | small(epilogue.activation) << 24 |
                 small(epilogue.gamma) << 28 | small(epilogue.normalised) << 30 |
                 small(epilogue.modulation) << 31 | small(desc.normalized_rank) << 32);
  if (epilogue.activation != Activation::none) {
    h = mix(h, bits_of(epilogue.slope, epilogue.alpha));
    h = mix(h, bits_of(epilogue.lower, epilogue.upper));
  }
  h = mix(h, small(key.placement.memory) | small(options.deterministic) << 8 |
                 small(options.launches) << 12 | small(options.tuning) << 16 |
                 small(key.placement.device) << 32);
  // Forcing is rare and its cost does not matter; empty strings hash to the same value.
  h = mix(h, std::hash<std::string>{}(options.strategy) ^ std::hash<std::string>{}(options.config));
  return h;
}

bool PlanCache::equal(const Key& stored, const KeyView& key) noexcept {
  return stored.options.memory == key.placement.memory &&
         stored.options.device == key.placement.device && same_desc(stored.desc, *key.desc) &&
         same_options(stored.options, *key.options);
}

const Plan* PlanCache::find(const Generation& generation, std::size_t hash,
                            const KeyView& key) noexcept {
  const auto [first, last] = generation.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (equal(it->second.first, key)) return &it->second.second;
  }
  return nullptr;
}

const Plan* PlanCache::insert(std::size_t hash, Key key, const Plan& plan) {
  if (young_.size() >= generation_size_) {
    old_ = std::move(young_);
    young_ = {};
  }
  return &young_.emplace(hash, std::pair(std::move(key), plan))->second.second;
}

Result<Plan> PlanCache::get(const NormDesc& desc, const PlanOptions& options, Placement placement) {
  const KeyView key{&desc, &options, placement};
  const std::size_t h = hash(key);
  {
    const std::shared_lock lock(mutex_);
    if (const Plan* plan = find(young_, h, key)) return *plan;
  }
  Key stored{desc, options};
  stored.options.memory = placement.memory;
  stored.options.device = placement.device;
  {
    const std::unique_lock lock(mutex_);
    if (const Plan* plan = find(young_, h, key)) return *plan;
    if (const Plan* plan = find(old_, h, key)) return *insert(h, std::move(stored), Plan(*plan));
  }
  // Without the lock: creating a plan may load kernels or read the database.
  Result<Plan> created = Plan::create(desc, stored.options);
  if (!created.ok()) return created;
  const std::unique_lock lock(mutex_);
  if (const Plan* plan = find(young_, h, key)) return *plan;
  return *insert(h, std::move(stored), created.value());
}

void PlanCache::clear() {
  const std::unique_lock lock(mutex_);
  young_.clear();
  old_.clear();
}

std::size_t PlanCache::size() const {
  const std::shared_lock lock(mutex_);
  return young_.size() + old_.size();
}

PlanCache& plan_cache() {
  // Never destroyed: a call from another static object's destructor still finds it.
  static PlanCache& cache = *new PlanCache;
  return cache;
}

}  // namespace fastnorm
