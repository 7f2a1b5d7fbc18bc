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

struct PlanOptions {
  MemorySpace memory = MemorySpace::automatic;
  int device = -1;  ///< CUDA ordinal; -1: the current device (free functions: x's device).
  bool deterministic = false;  ///< Only strategies whose results repeat bit for bit.
  Tuning tuning = Tuning::database;
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
  /// Validates the descriptor, chooses and loads the kernels.
  /// Errors: invalid_argument (extents, groups, eps, an unknown name), unsupported (types, layout,
  /// or a forced strategy that refuses the problem), unavailable (no device, or no back end for
  /// `memory`).
  static Result<Plan> create(const NormDesc& desc, const PlanOptions& options = {});

  /// Bytes of scratch memory that execute() needs, in the plan's memory space; may be 0.
  std::size_t workspace_bytes() const noexcept;

  /// Enqueues the work on `stream` (host back ends: does it) and returns. Allocates nothing, never
  /// synchronises, and may be captured into a CUDA graph. The workspace may hold anything on entry;
  /// it is the caller's, 16-byte aligned, apart from every tensor, and in use until the work is
  /// done. Errors: invalid_argument (null x or y, misaligned pointers, overlapping but unequal
  /// tensors, a workspace that is null or too small), device_error (a refused launch). It does not
  /// check that the device can access the pointers; the free functions do.
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
  /// (forced | exact | nearest | same_arch | heuristic).
  std::string describe() const;

  struct Impl;  ///< Internal.
  explicit Plan(std::shared_ptr<const Impl> impl) noexcept;
  const Impl& impl() const noexcept { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace fastnorm
