// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_devices.hpp"
#include "backends/cuda/cuda_status.hpp"
#include "backends/cuda/device_guard.hpp"
#include "backends/cuda/relaxed_capture.hpp"
#include "backends/cuda/strategies.hpp"
#include "core/backend.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace fastnorm::cuda {
namespace {

class CudaBuffer final : public DeviceBuffer {
 public:
  CudaBuffer(int device, void* data, std::size_t size) noexcept
      : device_(device), data_(data), size_(size) {}
  ~CudaBuffer() override {
    const DeviceGuard guard(device_);
    const RelaxedCapture relaxed;
    static_cast<void>(cudaFree(data_));
  }
  void* data() const noexcept override { return data_; }
  std::size_t size() const noexcept override { return size_; }

 private:
  int device_;
  void* data_;
  std::size_t size_;
};

class CudaBackend final : public Backend {
 public:
  std::string_view name() const noexcept override { return "cuda"; }
  MemorySpace memory() const noexcept override { return MemorySpace::device; }
  const std::vector<const KernelVariant*>& variants() const override { return strategies(); }

  Result<const DeviceInfo*> device(int ordinal) const override {
    Result<const CudaDevice*> found = cuda_device(ordinal);
    if (!found.ok()) return found.status();
    return &found.value()->info;
  }

  Result<Software> software() const override { return Software{runtime_version(), "", ""}; }

  PointerInfo pointer_info(const void* pointer) const noexcept override {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return {};
    }
    switch (attributes.type) {
      case cudaMemoryTypeUnregistered:
        return {PointerKind::host_plain, -1};
      case cudaMemoryTypeHost:
        return {PointerKind::host_pinned, -1};
      case cudaMemoryTypeDevice:
        return {PointerKind::device, attributes.device};
      case cudaMemoryTypeManaged:
        return {PointerKind::managed, attributes.device};
    }
    return {};
  }

  bool can_access(const DeviceInfo& device, const PointerInfo& pointer) const noexcept override {
    switch (pointer.kind) {
      case PointerKind::device:
        return pointer.device == device.ordinal;
      case PointerKind::managed:
      case PointerKind::host_pinned:
        return true;
      case PointerKind::host_plain: {
        const Result<const CudaDevice*> found = cuda_device(device.ordinal);
        return found.ok() && found.value()->reads_pageable_memory;
      }
      case PointerKind::unknown:
        break;
    }
    return false;
  }

  Result<StreamInfo> stream_info(const DeviceInfo& device, Stream stream) const override {
    const DeviceGuard guard(device.ordinal);  // The default stream is the current device's.
    if (guard.error() != cudaSuccess) return to_status(guard.error(), "cudaSetDevice");
    const auto handle = static_cast<cudaStream_t>(stream.handle);
    StreamInfo info;
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
    if (const cudaError_t error = cudaStreamGetCaptureInfo(handle, &capture, &id);
        error != cudaSuccess) {
      return to_status(error, "cudaStreamGetCaptureInfo");
    }
    if (capture != cudaStreamCaptureStatusNone) {
      // A capture forbids asking for the stream's id; within one capture the handle tells streams
      // apart.
      info.capture = id;
      info.id = reinterpret_cast<std::uintptr_t>(stream.handle);
      return info;
    }
    if (const cudaError_t error = cudaStreamGetId(handle, &id); error != cudaSuccess) {
      return to_status(error, "cudaStreamGetId");
    }
    info.id = id;
    return info;
  }

  Result<std::unique_ptr<DeviceBuffer>> allocate(const DeviceInfo& device,
                                                 std::size_t bytes) const override {
    const DeviceGuard guard(device.ordinal);
    if (guard.error() != cudaSuccess) return to_status(guard.error(), "cudaSetDevice");
    const RelaxedCapture relaxed;
    void* data = nullptr;
    if (const cudaError_t error = cudaMalloc(&data, bytes); error != cudaSuccess) {
      return to_status(error, "cudaMalloc of " + std::to_string(bytes) + " workspace bytes");
    }
    return std::unique_ptr<DeviceBuffer>(std::make_unique<CudaBuffer>(device.ordinal, data, bytes));
  }
};

}  // namespace

std::vector<const Backend*> make_backends() {
  // Never destroyed: a call from another static object's destructor still finds it.
  static const Backend& backend = *new CudaBackend;
  return {&backend};
}

}  // namespace fastnorm::cuda
