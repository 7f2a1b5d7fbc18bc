// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/runtime.hpp"

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_runtime_api.h>
#endif

namespace fastnorm::kokkos {
namespace {

std::atomic<bool> finalize_seen{false};

bool was_finalized() noexcept {
#if KOKKOS_VERSION >= 30700
  if (Kokkos::is_finalized()) return true;
#endif
  return finalize_seen;
}

Status finalized_status() {
  return Status(StatusCode::unavailable,
                "the program has called Kokkos::finalize(); the Kokkos back end works until then");
}

/// Kokkos starts all the spaces it was built with, and aborts where one of them has no device.
Status check_devices() {
#ifdef KOKKOS_ENABLE_CUDA
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    static_cast<void>(cudaGetLastError());  // Not the caller's error.
    return Status(
        StatusCode::unavailable,
        std::string("this Kokkos was built for CUDA and cannot start without a device (") +
            (error == cudaSuccess ? "none is there" : cudaGetErrorString(error)) + ")");
  }
#endif
  return {};
}

/// Never from the program's arguments, which Kokkos would take its own out of. Kokkos's warnings
/// are for programs that call it themselves; a library prints nothing.
void initialize() {
#if KOKKOS_VERSION >= 30700
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
#ifdef KOKKOS_ENABLE_CUDA
  int current = 0;
  if (cudaGetDevice(&current) == cudaSuccess) settings.set_device_id(current);
#endif
#else
  Kokkos::InitArguments settings;
  settings.disable_warnings = true;
#endif
  Kokkos::initialize(settings);
}

/// The Threads space crashes in its destructors if it still runs when the process exits. What the
/// library has started and nobody has ended by then, it ends there.
void finalize_at_exit() {
#ifdef KOKKOS_ENABLE_THREADS
  std::atexit([] {
    try {
      if (Kokkos::is_initialized()) Kokkos::finalize();
    } catch (const std::exception&) {
      // Another thread than the first called exit(), which Threads does not allow either.
    }
  });
#endif
}

}  // namespace

Status start_runtime() {
  static std::mutex mutex;
  static bool watching = false;
  const std::lock_guard lock(mutex);
  if (was_finalized()) return finalized_status();
  try {
    if (!Kokkos::is_initialized()) {
      if (Status status = check_devices(); !status.ok()) return status;
      initialize();
      finalize_at_exit();
    }
    if (!watching) {
      Kokkos::push_finalize_hook([] { finalize_seen = true; });
      watching = true;
    }
  } catch (const std::exception& error) {
    return Status(StatusCode::unavailable,
                  std::string("Kokkos could not be initialized: ") + error.what());
  }
  return {};
}

Status check_runtime() {
  if (was_finalized() || !Kokkos::is_initialized()) return finalized_status();
  return {};
}

void at_finalize(std::function<void()> release) { Kokkos::push_finalize_hook(std::move(release)); }

}  // namespace fastnorm::kokkos
