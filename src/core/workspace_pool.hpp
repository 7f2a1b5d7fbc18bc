// SPDX-License-Identifier: Apache-2.0
/// The workspaces of the free functions: one per device and stream, so that two streams never share
/// one, grown as needed. Each graph capture has its own: the graph may be replayed on any stream.
#pragma once

#include "core/backend.hpp"

#include <fastnorm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

namespace fastnorm {

class WorkspacePool {
 private:
  struct Slot;

 public:
  /// Holds the stream's workspace while a call's kernels are enqueued: two threads on one stream
  /// must not interleave them.
  class Lease {
   public:
    void* data() const noexcept { return data_; }

   private:
    friend class WorkspacePool;
    std::shared_ptr<Slot> slot_;  // Declared before the lock, so that it outlives it.
    std::unique_lock<std::mutex> lock_;
    void* data_ = nullptr;
  };

  /// At least `bytes` of scratch for work on `stream`. No allocation once the stream has met
  /// its largest request. With no bytes asked for, an empty lease.
  Result<Lease> acquire(const Backend& backend, const DeviceInfo& device, Stream stream,
                        std::size_t bytes);

 private:
  std::shared_ptr<Slot> slot_for(const Backend& backend, const DeviceInfo& device,
                                 const StreamInfo& stream);

  std::mutex mutex_;
  std::list<std::shared_ptr<Slot>> slots_;  // Most recently used first.
};

WorkspacePool& workspace_pool();

}  // namespace fastnorm
