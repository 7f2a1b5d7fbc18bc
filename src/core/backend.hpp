// SPDX-License-Identifier: Apache-2.0
/// The interface between the core and the back ends: variants of kernels, devices, memory.
#pragma once

#include "core/config.hpp"
#include "core/device_info.hpp"
#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm {

/// Yes, or the reason why not.
struct Support {
  bool ok = true;
  std::string reason;
  static Support yes() { return {}; }
  static Support no(std::string why) { return {false, std::move(why)}; }
};

/// A configured, loaded kernel for one problem on one device: everything that can be computed
/// before the call is computed. Immutable; used by several threads at once.
class Executable {
 public:
  virtual ~Executable() = default;

  virtual std::size_t workspace_bytes() const noexcept = 0;

  /// Whether these pointers are aligned well enough for this executable.
  virtual bool accepts(const NormArgs& args) const noexcept = 0;

  /// Enqueues (host: does) the work. The arguments are checked by then; no allocation, no
  /// synchronisation, no device queries. Resets by itself what it needs of the workspace.
  /// `unsupported` says that the device has no room for this launch now: the tensors are untouched,
  /// and the plan runs its other executable.
  virtual Status launch(const NormArgs& args, void* workspace, Stream stream) const = 0;
};

/// One strategy: a kernel with a space of configurations.
class KernelVariant {
 public:
  virtual ~KernelVariant() = default;

  /// Name in the database, on the command line and in benchmarks: "block_row".
  virtual std::string_view name() const noexcept = 0;

  /// Whether two runs of one configuration give the same bits.
  virtual bool deterministic() const noexcept = 0;

  /// Whether the configuration's blocks wait for each other, so that they must be resident at once
  /// (Launches::independent_blocks excludes it). `config` is one of this strategy's.
  virtual bool needs_coresidency(const Config& config) const = 0;

  virtual Support supports(const Problem& problem, const DeviceInfo& device) const = 0;

  /// The same for one configuration, which may come from a database or a user and be impossible.
  virtual Support supports(const Problem& problem, const DeviceInfo& device,
                           const Config& config) const = 0;

  /// The search space: distinct, supported configurations. The default is one of them.
  virtual std::vector<Config> configs(const Problem& problem, const DeviceInfo& device) const = 0;

  /// A good choice with no database, from waves, occupancy and cache capacity. Without a value
  /// where no configuration is possible after all, which counts as a refusal.
  virtual Config default_config(const Problem& problem, const DeviceInfo& device) const = 0;

  /// Predicted time of a configuration. Only the order matters: the dispatcher compares the
  /// variants' defaults by it.
  virtual double estimate_us(const Problem& problem, const DeviceInfo& device,
                             const Config& config) const = 0;

  virtual Result<Config> parse_config(const ConfigFields& fields) const = 0;

  /// Resolves and loads the kernels; `config` is supported. `unsupported` where the device itself,
  /// asked now, has no room for them: then another strategy is chosen.
  virtual Result<std::unique_ptr<const Executable>> prepare(const Problem& problem,
                                                            const DeviceInfo& device,
                                                            const Config& config) const = 0;

  /// What runs instead where prepare()'s executable does not accept a call's pointers, or the
  /// device has no room for its launch any more: for any pointers, and no block of it waits for
  /// another. Null where neither can happen.
  virtual Result<std::unique_ptr<const Executable>> prepare_fallback(
      const Problem& problem, const DeviceInfo& device, const Config& config) const = 0;
};

/// What kind of memory a pointer leads to, seen from one back end.
enum class PointerKind { host_plain, host_pinned, managed, device, unknown };

struct PointerInfo {
  PointerKind kind = PointerKind::unknown;
  int device = -1;  ///< Ordinal, for device and managed memory.
};

/// What the library's workspaces need to know of a stream.
struct StreamInfo {
  std::uint64_t id = 0;       ///< Work of streams with one id is ordered; ids are not used again.
  std::uint64_t capture = 0;  ///< The graph capture that the stream takes part in; 0: none.
};

/// A memory block that frees itself.
class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;
  virtual void* data() const noexcept = 0;
  virtual std::size_t size() const noexcept = 0;
};

/// What lies below a back end's kernels, for the record of a measurement. Empty where there is
/// none.
struct Software {
  std::string cuda;             ///< Version of the runtime, "13.0".
  std::string kokkos;           ///< Version, "4.4.01".
  std::string instruction_set;  ///< Of a host's loops: "x86-64-v3"; "any" is what the build is for.
};

/// A family of kernels for one memory space.
class Backend {
 public:
  virtual ~Backend() = default;

  /// "cuda", "kokkos-host", "kokkos-cuda". Users may name the part before the dash.
  virtual std::string_view name() const noexcept = 0;

  /// host or device.
  virtual MemorySpace memory() const noexcept = 0;

  /// Strategies in order of preference among equal estimates; the most general ones last, so that
  /// something always supports every valid problem.
  virtual const std::vector<const KernelVariant*>& variants() const = 0;

  /// The device with this ordinal, or the current one for -1. Cheap after the first call; touches
  /// no driver before it. Errors: unavailable, with what is there.
  virtual Result<const DeviceInfo*> device(int ordinal) const = 0;

  /// Needs no device. Errors: invalid_argument (what the environment asks for is not there).
  virtual Result<Software> software() const = 0;

  /// Never fails; `unknown` if this back end cannot tell.
  virtual PointerInfo pointer_info(const void* pointer) const noexcept = 0;

  /// Whether kernels on `device` may touch memory of this kind.
  virtual bool can_access(const DeviceInfo& device, const PointerInfo& pointer) const noexcept = 0;

  virtual Result<StreamInfo> stream_info(const DeviceInfo& device, Stream stream) const = 0;

  /// Scratch memory on the device, 16-byte aligned at least (the library's own workspaces). Safe
  /// while a stream is being captured.
  virtual Result<std::unique_ptr<DeviceBuffer>> allocate(const DeviceInfo& device,
                                                         std::size_t bytes) const = 0;
};

/// All back ends of this build, the preferred one of each memory space first.
const std::vector<const Backend*>& backends();

/// The one of that name ("kokkos-host"), or null.
const Backend* find_backend(std::string_view name);

/// The first back end for device memory that has a device to work on, or null. Asked once a
/// process, at the first call, so that later calls without a device cost nothing.
const Backend* working_device_backend();

/// "kokkos" of "kokkos-host": what a user may call the back ends of both memory spaces.
std::string_view family_of(std::string_view backend) noexcept;

/// Whether `wanted` ("kokkos", "kokkos-host") names this back end.
bool names_backend(std::string_view wanted, const Backend& backend) noexcept;

const KernelVariant* find_variant(const Backend& backend, std::string_view strategy) noexcept;

}  // namespace fastnorm
