// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_devices.hpp"

#include "backends/cuda/cuda_status.hpp"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <string>
#include <vector>

namespace fastnorm::cuda {
namespace {

struct DeviceList {
  std::vector<Result<CudaDevice>>
      devices;  ///< One that cannot be described does not spoil the rest.
  Status status;
};

/// GB/s from clock and bus width; both edges of the clock carry data.
std::int64_t theoretical_bandwidth(int clock_khz, int bus_bits) {
  return 2 * static_cast<std::int64_t>(clock_khz) * (bus_bits / 8) / 1'000'000;
}

std::string pci_address(const cudaDeviceProp& properties) {
  char text[32];
  std::snprintf(
      text, sizeof text, "%08x:%02x:%02x.0", static_cast<unsigned>(properties.pciDomainID),
      static_cast<unsigned>(properties.pciBusID), static_cast<unsigned>(properties.pciDeviceID));
  return text;
}

Result<CudaDevice> describe(int ordinal) {
  cudaDeviceProp properties{};
  if (const cudaError_t error = cudaGetDeviceProperties(&properties, ordinal);
      error != cudaSuccess) {
    return to_status(error, "cudaGetDeviceProperties(" + std::to_string(ordinal) + ")");
  }
  // An attribute that a device does not know stays 0.
  const auto attribute = [ordinal](cudaDeviceAttr which) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, ordinal) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      value = 0;
    }
    return value;
  };
  CudaDevice device;
  DeviceInfo& info = device.info;
  info.memory = MemorySpace::device;
  info.ordinal = ordinal;
  info.name = properties.name;
  info.pci_address = pci_address(properties);
  info.compute_capability_major = properties.major;
  info.compute_capability_minor = properties.minor;
  info.processors = properties.multiProcessorCount;
  info.l2_bytes = properties.l2CacheSize;
  info.memory_gb_s = theoretical_bandwidth(attribute(cudaDevAttrMemoryClockRate),
                                           attribute(cudaDevAttrGlobalMemoryBusWidth));
  info.max_threads_per_block = properties.maxThreadsPerBlock;
  info.max_threads_per_processor = properties.maxThreadsPerMultiProcessor;
  info.max_blocks_per_processor = properties.maxBlocksPerMultiProcessor;
  info.registers_per_processor = properties.regsPerMultiprocessor;
  info.shared_bytes_per_block = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
  info.cooperative_launch = attribute(cudaDevAttrCooperativeLaunch) != 0;
  info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  device.reads_pageable_memory = attribute(cudaDevAttrPageableMemoryAccess) != 0;
  return device;
}

DeviceList list_devices() {
  DeviceList list;
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    list.status =
        Status(StatusCode::unavailable,
               error == cudaSuccess
                   ? std::string("no CUDA device is there")
                   : "no CUDA device: " + to_status(error, "cudaGetDeviceCount").message());
    return list;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) list.devices.push_back(describe(ordinal));
  return list;
}

}  // namespace

Result<const CudaDevice*> cuda_device(int ordinal) {
  // Never destroyed: plans point into it, and may be used until the very end.
  static const DeviceList& list = *new DeviceList(list_devices());
  if (!list.status.ok()) {
    if (ordinal == -1) return list.status;
    return Status(list.status.code(),
                  "device=" + std::to_string(ordinal) + ": " + list.status.message());
  }
  int wanted = ordinal;
  if (ordinal == -1) {
    if (const cudaError_t error = cudaGetDevice(&wanted); error != cudaSuccess) {
      return to_status(error, "cudaGetDevice");
    }
  }
  if (wanted < 0 || wanted >= static_cast<int>(list.devices.size())) {
    return Status(StatusCode::invalid_argument,
                  "device=" + std::to_string(ordinal) + " is not one of the machine's " +
                      std::to_string(list.devices.size()) + " CUDA devices (0 to " +
                      std::to_string(list.devices.size() - 1) + ", or -1 for the current one)");
  }
  const Result<CudaDevice>& device = list.devices[static_cast<std::size_t>(wanted)];
  if (!device.ok()) return device.status();
  return &device.value();
}

std::string runtime_version() {
  int version = 0;
  if (cudaRuntimeGetVersion(&version) != cudaSuccess) return {};
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace fastnorm::cuda
