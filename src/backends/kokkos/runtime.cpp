// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/runtime.hpp"

#include "backends/kokkos/environment.hpp"
#include "backends/kokkos/error_text.hpp"
#include "backends/kokkos/forked_child.hpp"
#include "backends/kokkos/parallel_region.hpp"
#include "backends/kokkos/thread_count.hpp"
#include "core/log.hpp"

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
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
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
  return Status(
      StatusCode::unavailable,
      "Kokkos::finalize() has been called, by the program or as the process exits; the Kokkos back "
      "end works until then");
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

#if KOKKOS_VERSION >= 30700
using Settings = Kokkos::InitializationSettings;
#else
using Settings = Kokkos::InitArguments;
#endif

#ifdef KOKKOS_ENABLE_OPENMP
/// With as many threads as there may be, where OpenMP has more. Kokkos makes the number that it is
/// told OpenMP's, too; the program keeps its own.
void initialize_with_most_threads(Settings settings) {
  const int threads = omp_get_max_threads();
  log(LogLevel::warning, "OpenMP has " + std::to_string(threads) +
                             " threads; Kokkos has room for " + std::to_string(most_threads) +
                             " and starts with so many");
#if KOKKOS_VERSION >= 30700
  settings.set_num_threads(most_threads);
#else
  settings.num_threads = most_threads;
#endif
  Kokkos::initialize(settings);
  omp_set_num_threads(threads);
}
#endif

/// Never from the program's arguments, which Kokkos would take its own out of. Kokkos's warnings
/// are for programs that call it themselves; a library prints nothing.
void initialize() {
  Settings settings;
#if KOKKOS_VERSION >= 30700
  settings.set_disable_warnings(true);
#ifdef KOKKOS_ENABLE_CUDA
  int current = 0;
  if (cudaGetDevice(&current) == cudaSuccess) settings.set_device_id(current);
#endif
#else
  settings.disable_warnings = true;
#endif
  // OpenMP does not start in a region.
  outside_parallel_regions([&settings] {
#ifdef KOKKOS_ENABLE_OPENMP
    if (surplus_threads()) return initialize_with_most_threads(settings);
#endif
    Kokkos::initialize(settings);
  });
}

/// The Threads space crashes in its destructors if it still runs when the process exits, and the
/// Cuda space prints an error.
#if defined(KOKKOS_ENABLE_THREADS) || defined(KOKKOS_ENABLE_CUDA)
constexpr bool must_be_finalized = true;
#else
constexpr bool must_be_finalized = false;
#endif

#ifdef KOKKOS_ENABLE_CUDA
/// Memory of the device's that is there as long as Kokkos's own.
void* witness = nullptr;

void make_witness() {
  if (cudaMalloc(&witness, 1) == cudaSuccess) return;
  witness = nullptr;
  static_cast<void>(cudaGetLastError());  // Not the caller's error.
}

/// Not so after cudaDeviceReset() or a fault of a kernel's: Kokkos would free what is gone, and end
/// the process where that fails.
bool can_finalize() {
  cudaPointerAttributes attributes{};
  return cudaPointerGetAttributes(&attributes, witness) == cudaSuccess &&
         attributes.type == cudaMemoryTypeDevice && cudaDeviceSynchronize() == cudaSuccess;
}
#else
void make_witness() {}
bool can_finalize() { return true; }
#endif

/// What the library has started and nobody has ended by then, it ends when the process exits.
/// Called once Kokkos has started: what is registered later is called earlier, so that the CUDA
/// runtime and Kokkos's own objects, which come before, are still there.
void finalize_at_exit() {
  if constexpr (must_be_finalized) {
    make_witness();
    std::atexit([] {
      try {
        // In the child of a fork() it would wait for the parent's threads. With Threads, a child
        // still has to end by _exit().
        if (Kokkos::is_initialized() && !in_forked_child() && can_finalize()) Kokkos::finalize();
      } catch (const std::exception&) {
        // Another thread than the first called exit(), which Threads does not allow either.
      }
    });
  }
}

}  // namespace

Status start_runtime() {
  static std::mutex mutex;
  static bool watching = false;
  const std::lock_guard lock(mutex);
  if (was_finalized()) return finalized_status();
  try {
    if (!Kokkos::is_initialized()) {
      if (Status status = check_environment(); !status.ok()) return status;
      if (Status status = check_devices(); !status.ok()) return status;
      initialize();
      finalize_at_exit();
    }
    if (!watching) {
      if (Status status = watch_forks(); !status.ok()) return status;
      Kokkos::push_finalize_hook([] { finalize_seen = true; });
      watching = true;
    }
  } catch (const std::exception& error) {
    return Status(StatusCode::unavailable,
                  std::string("Kokkos could not be initialized: ") + text_of(error));
  }
  return {};
}

Status check_runtime() {
  if (was_finalized() || !Kokkos::is_initialized()) return finalized_status();
  return {};
}

std::string version_text() {
  constexpr int patch = KOKKOS_VERSION % 100;
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
         (patch < 10 ? ".0" : ".") + std::to_string(patch);
}

void at_finalize(std::function<void()> release) { Kokkos::push_finalize_hook(std::move(release)); }

}  // namespace fastnorm::kokkos
