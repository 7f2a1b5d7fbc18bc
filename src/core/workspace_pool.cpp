// SPDX-License-Identifier: Apache-2.0
#include "core/workspace_pool.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace fastnorm {
namespace {

/// A program that makes streams without end must not make workspaces without end.
constexpr std::size_t max_streams = 64;
constexpr std::size_t least_bytes = std::size_t{64} << 10;

}  // namespace

struct WorkspacePool::Slot {
  const Backend* backend = nullptr;
  int device = 0;
  StreamInfo stream;

  std::mutex mutex;  // Guards what follows.
  std::unique_ptr<DeviceBuffer> buffer;
  /// Outgrown buffers: earlier nodes of a capture name them. Each is at most half of the next, so
  /// all together they are no larger than the one in use.
  std::vector<std::unique_ptr<DeviceBuffer>> outgrown;
};

std::shared_ptr<WorkspacePool::Slot> WorkspacePool::slot_for(const Backend& backend,
                                                             const DeviceInfo& device,
                                                             const StreamInfo& stream) {
  std::shared_ptr<Slot> evicted;  // Freed after the lock is released.
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const auto& slot) {
    return slot->backend == &backend && slot->device == device.ordinal &&
           slot->stream.id == stream.id && slot->stream.capture == stream.capture;
  });
  if (found != slots_.end()) {
    if (found != slots_.begin()) slots_.splice(slots_.begin(), slots_, found);
    return *found;
  }
  const auto is_captured = [](const auto& slot) { return slot->stream.capture != 0; };
  const auto captured = std::count_if(slots_.begin(), slots_.end(), is_captured);
  if (slots_.size() - static_cast<std::size_t>(captured) >= max_streams) {
    // The least recently used one that no graph holds and no call is using. Freeing it waits for
    // the device, so work in flight keeps its memory.
    const auto victim = std::find_if(slots_.rbegin(), slots_.rend(), [&](const auto& slot) {
      return !is_captured(slot) && slot.use_count() == 1;
    });
    if (victim != slots_.rend()) {
      evicted = *victim;
      slots_.erase(std::next(victim).base());
    }
  }
  auto slot = std::make_shared<Slot>();
  slot->backend = &backend;
  slot->device = device.ordinal;
  slot->stream = stream;
  slots_.push_front(slot);
  return slot;
}

Result<WorkspacePool::Lease> WorkspacePool::acquire(const Backend& backend,
                                                    const DeviceInfo& device, Stream stream,
                                                    std::size_t bytes) {
  Lease lease;
  if (bytes == 0) return lease;
  const Result<StreamInfo> info = backend.stream_info(device, stream);
  if (!info.ok()) return info.status();
  lease.slot_ = slot_for(backend, device, info.value());
  Slot& slot = *lease.slot_;
  lease.lock_ = std::unique_lock(slot.mutex);
  if (slot.buffer == nullptr || slot.buffer->size() < bytes) {
    const std::size_t held = slot.buffer == nullptr ? 0 : slot.buffer->size();
    Result<std::unique_ptr<DeviceBuffer>> larger =
        backend.allocate(device, std::max({bytes, 2 * held, least_bytes}));
    if (!larger.ok()) return larger.status();
    if (slot.buffer != nullptr) slot.outgrown.push_back(std::move(slot.buffer));
    slot.buffer = std::move(larger).value();
  }
  lease.data_ = slot.buffer->data();
  return lease;
}

WorkspacePool& workspace_pool() {
  // Never destroyed: at exit the device's runtime may be gone before its memory could be freed.
  static WorkspacePool& pool = *new WorkspacePool;
  return pool;
}

}  // namespace fastnorm
