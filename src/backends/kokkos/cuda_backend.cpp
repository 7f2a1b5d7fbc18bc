// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/cuda_backend.hpp"

#include "backends/kokkos/cuda_spaces.hpp"
#include "backends/kokkos/cuda_strategies.hpp"
#include "backends/kokkos/runtime.hpp"

#include <Kokkos_Core.hpp>

#include <string>
#include <utility>

namespace fastnorm::cuda {
std::vector<const Backend*> make_backends();  // As the registry calls it.
}  // namespace fastnorm::cuda

namespace fastnorm::kokkos {
namespace {

/// Devices and their memory are those of the CUDA back end; only the kernels are Kokkos's.
const Backend& cuda_devices() {
  static const Backend& backend = *cuda::make_backends().front();
  return backend;
}

class CudaBackend final : public Backend {
 public:
  std::string_view name() const noexcept override { return "kokkos-cuda"; }
  MemorySpace memory() const noexcept override { return MemorySpace::device; }

  const std::vector<const KernelVariant*>& variants() const override {
    static const auto& all = *new std::vector<const KernelVariant*>{
        &cuda_lanes_row(),  &cuda_team_row(),     &cuda_split_rows(),
        &cuda_thread_row(), &cuda_strided_rows(), &cuda_columns()};
    return all;
  }

  Result<const DeviceInfo*> device(int ordinal) const override {
    Result<const DeviceInfo*> info = cuda_devices().device(ordinal);
    if (!info.ok()) return info;
    if (Status status = start_runtime(); !status.ok()) return status;
    static const int kokkos_device = Kokkos::Cuda().cuda_device();
    if (info.value()->ordinal != kokkos_device) {
      return Status(StatusCode::unavailable, "device=" + std::to_string(info.value()->ordinal) +
                                                 ": Kokkos was initialized for device " +
                                                 std::to_string(kokkos_device) +
                                                 " and works on no other");
    }
    return info;
  }

  Result<Software> software() const override {
    Result<Software> below = cuda_devices().software();
    if (below.ok()) below.value().kokkos = version_text();
    return below;
  }

  PointerInfo pointer_info(const void* pointer) const noexcept override {
    return cuda_devices().pointer_info(pointer);
  }

  bool can_access(const DeviceInfo& device, const PointerInfo& pointer) const noexcept override {
    return cuda_devices().can_access(device, pointer);
  }

  Result<StreamInfo> stream_info(const DeviceInfo& device, Stream stream) const override {
    return cuda_devices().stream_info(device, stream);
  }

  Result<std::unique_ptr<DeviceBuffer>> allocate(const DeviceInfo& device,
                                                 std::size_t bytes) const override {
    return cuda_devices().allocate(device, bytes);
  }
};

}  // namespace

const Backend& cuda_backend() {
  static const Backend& backend = *new CudaBackend;
  return backend;
}

}  // namespace fastnorm::kokkos
