// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/host_backend.hpp"

#include "backends/kokkos/host_dispatch.hpp"
#include "backends/kokkos/host_loops.hpp"
#include "backends/kokkos/host_machine.hpp"
#include "backends/kokkos/host_strategies.hpp"
#include "backends/kokkos/parallel_region.hpp"
#include "backends/kokkos/runtime.hpp"

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <string_view>

namespace fastnorm::kokkos {
namespace {

constexpr std::align_val_t buffer_alignment{64};  // A cache line.

class HostBuffer final : public DeviceBuffer {
 public:
  explicit HostBuffer(std::size_t size) noexcept
      : data_(::operator new(size, buffer_alignment, std::nothrow)), size_(size) {}
  ~HostBuffer() override { ::operator delete(data_, buffer_alignment); }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  void* data() const noexcept override { return data_; }
  std::size_t size() const noexcept override { return size_; }

 private:
  void* data_;
  std::size_t size_;
};

DeviceInfo describe_host() {
  DeviceInfo info;
  info.memory = MemorySpace::host;
  info.name = cpu_model();
  info.processors =
      outside_parallel_regions([] { return static_cast<int>(HostSpace().concurrency()); });
  const Caches caches = host_caches();
  info.l2_bytes = caches.last_level_bytes;
  info.private_cache_bytes = caches.private_bytes;
  info.host_space = HostSpace::name();
  info.memory_bytes = memory_bytes();
  return info;
}

class HostBackend final : public Backend {
 public:
  std::string_view name() const noexcept override { return "kokkos-host"; }
  MemorySpace memory() const noexcept override { return MemorySpace::host; }

  const std::vector<const KernelVariant*>& variants() const override {
    static const auto& all =
        *new std::vector<const KernelVariant*>{&host_rows(), &host_split_rows(), &host_columns()};
    return all;
  }

  Result<const DeviceInfo*> device(int ordinal) const override {
    if (ordinal != -1 && ordinal != 0) {
      return Status(StatusCode::invalid_argument,
                    "device=" + std::to_string(ordinal) +
                        " is not on the host; allowed are 0, the host itself, and -1");
    }
    if (Status status = start_runtime(); !status.ok()) return status;
    static const DeviceInfo& info = *new DeviceInfo(describe_host());
    return &info;
  }

  Result<Software> software() const override {
    const Result<HostIsa> isa = host_isa();
    if (!isa.ok()) return isa.status();
    constexpr std::string_view built_for = FASTNORM_HOST_ARCH;  // Empty: chosen at run time.
    return Software{"", version_text(),
                    std::string(built_for.empty() ? isa.value().name : built_for)};
  }

  /// A host back end cannot tell plain memory from a device's.
  PointerInfo pointer_info(const void* pointer) const noexcept override {
    return {pointer == nullptr ? PointerKind::unknown : PointerKind::host_plain, -1};
  }

  bool can_access(const DeviceInfo&, const PointerInfo& pointer) const noexcept override {
    return pointer.kind != PointerKind::device;
  }

  /// Calls return when the work is done: what a thread does is in order, whatever the stream.
  Result<StreamInfo> stream_info(const DeviceInfo&, Stream) const override {
    static std::atomic<std::uint64_t> threads{0};
    thread_local const std::uint64_t id = ++threads;
    return StreamInfo{id, 0};
  }

  Result<std::unique_ptr<DeviceBuffer>> allocate(const DeviceInfo&,
                                                 std::size_t bytes) const override {
    auto buffer = std::make_unique<HostBuffer>(bytes);
    if (buffer->data() == nullptr) {
      return Status(StatusCode::out_of_memory,
                    "no " + std::to_string(bytes) + " bytes of host memory for the workspace");
    }
    return std::unique_ptr<DeviceBuffer>(std::move(buffer));
  }
};

}  // namespace

const Backend& host_backend() {
  // Never destroyed: a call from another static object's destructor still finds it.
  static const Backend& backend = *new HostBackend;
  return backend;
}

}  // namespace fastnorm::kokkos
