// SPDX-License-Identifier: Apache-2.0
/// What the dispatcher and the heuristics know of a device. Filled in by a back end, once.
#pragma once

#include <fastnorm/types.hpp>

#include <cstdint>
#include <string>

namespace fastnorm {

struct DeviceInfo {
  MemorySpace memory = MemorySpace::host;  ///< host or device, never automatic.
  int ordinal = 0;
  std::string name;         ///< "NVIDIA H200", or the CPU's model.
  std::string pci_address;  ///< Domain, bus, device, function: "00000000:1b:00.0"; empty on a host.

  /// Identity for the tuning database, and what the heuristics count with.
  int compute_capability_major = 0;  ///< 0 on a host.
  int compute_capability_minor = 0;
  int processors = 1;         ///< Streaming multiprocessors, or threads of the host space.
  std::int64_t l2_bytes = 0;  ///< Last cache before memory.
  std::int64_t private_cache_bytes = 0;  ///< A host thread's, that others do not use; 0 if unknown.
  std::int64_t memory_gb_s = 0;          ///< Theoretical memory bandwidth; 0 if unknown.
  std::string host_space;                ///< Kokkos execution space on a host ("Serial", "OpenMP").

  /// Limits of one processor (devices only).
  int max_threads_per_block = 1;
  int max_threads_per_processor = 1;
  int max_blocks_per_processor = 1;
  std::int64_t registers_per_processor = 0;
  std::int64_t shared_bytes_per_block = 0;  ///< With opt-in.

  bool cooperative_launch = false;  ///< Of grids whose blocks are all resident at once.

  std::int64_t memory_bytes = 0;  ///< Total; 0 if unknown.
};

}  // namespace fastnorm
