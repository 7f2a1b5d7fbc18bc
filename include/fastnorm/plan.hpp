// SPDX-License-Identifier: Apache-2.0
/// Plan once, execute many times: the hot path without allocation or synchronisation.
#pragma once

#include <fastnorm/export.hpp>
#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace fastnorm {

/// Where a plan's configuration may come from, short of forcing it.
enum class Tuning : std::uint8_t {
  database,   ///< The tuning databases first, then the heuristic.
  heuristic,  ///< The heuristic alone: what runs on a device that nobody has tuned.
};

/// Which launches a plan may consist of.
enum class Launches : std::uint8_t {
  all,  ///< Whatever is fastest.
  /// None whose blocks wait for each other (cooperative grids, thread-block clusters). Those start
  /// once the device has room for all such blocks at once: work beside them may keep them waiting,
  /// and not every graph, such as the body of a conditional node under MPS, may contain them.
  independent_blocks,
};

struct PlanOptions {
  MemorySpace memory = MemorySpace::automatic;
  int device = -1;  ///< CUDA ordinal; -1: the current device (free functions: x's device).
  bool deterministic = false;  ///< Only strategies whose results repeat bit for bit.
  Tuning tuning = Tuning::database;
  Launches launches = Launches::all;
  /// Force what runs, by name: "cuda", "kokkos"; "block_row", "split_atomic", ...;
  /// "threads=256,vec_width=4,..." as Plan::config() prints it. Empty: the library chooses.
  /// The environment variable FASTNORM_FORCE=backend[:strategy[:config]] does the same for the
  /// calls that leave all three empty.
  std::string backend{};
  std::string strategy{};
  std::string config{};
};

/// A chosen kernel with its configuration for one descriptor on one device. Copies are cheap and
/// share everything; a plan may be used by several threads at once, each with a workspace of its
/// own.
class FASTNORM_API Plan {
 public:
  /// Validates the descriptor, chooses and loads the kernels. A strategy that the device turns out
  /// to have no room for is passed over, unless it is forced.
  /// Errors: invalid_argument (extents, normalized_rank, groups, eps, numbers of the epilogue, an
  /// unknown name), unsupported (types, layout, or a problem that the forced strategy, or every
  /// one, refuses, with the reasons), unavailable (no device, or no back end for `memory`).
  static Result<Plan> create(const NormDesc& desc, const PlanOptions& options = {});

  /// Bytes of scratch memory that execute() needs, in the plan's memory space; may be 0.
  std::size_t workspace_bytes() const noexcept;

  /// Enqueues the work on `stream` (host back ends: does it) and returns. Allocates nothing, never
  /// synchronises, and may be captured into a CUDA graph. The workspace may hold anything on entry;
  /// it is the caller's, 16-byte aligned, its first workspace_bytes() apart from every tensor, and
  /// in use until the work is done. Where the device has less room than when the plan was made
  /// (limits of MPS) and so refuses blocks that wait for each other, a kernel for pointers of any
  /// alignment runs: as right, and slower. Errors: invalid_argument (tensors that are missing,
  /// misaligned, overlapping, or there without the descriptor's asking for them, a workspace that
  /// is null, too small, misaligned or over a tensor), unsupported (no room for that kernel
  /// either), device_error (a refused launch). It does not check that the device can access the
  /// pointers; the free functions do.
  Status execute(const NormArgs& args, void* workspace, std::size_t workspace_bytes,
                 Stream stream = {}) const;

  /// Back end ("cuda", "kokkos-host", "kokkos-cuda"), strategy and configuration that will run.
  const std::string& backend() const noexcept;
  const std::string& strategy() const noexcept;
  const std::string& config() const noexcept;

  /// Where the plan runs: `host` or `device`, and the device's ordinal.
  MemorySpace memory() const noexcept;
  int device() const noexcept;

  /// One line: what will run, and why it was chosen
  /// (forced | exact | bucket | nearest | same_arch | heuristic).
  std::string describe() const;

  struct Impl;  ///< Internal.
  explicit Plan(std::shared_ptr<const Impl> impl) noexcept;
  const Impl& impl() const noexcept { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace fastnorm
