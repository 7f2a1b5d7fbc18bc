/// What can be wrong with a call's pointers.
#pragma once

#include "core/backend.hpp"
#include "core/problem.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <array>

namespace fastnorm {

/// One tensor of a call, with what the checks need to know of it.
struct TensorView {
  const char* name = "";
  const void* data = nullptr;
  std::int64_t bytes = 0;
  std::size_t element_size = 1;
  bool required = false;
  bool written = false;
};

/// x, y, gamma, beta, mean, rstd.
std::array<TensorView, 6> tensors_of(const Problem& problem, const NormArgs& args) noexcept;

/// Null, misaligned, or overlapping tensors. Success allocates nothing.
Status check_arguments(const Problem& problem, const NormArgs& args);

/// Whether the device may touch every tensor that is there.
Status check_accessible(const Problem& problem, const NormArgs& args, const Backend& backend,
                        const DeviceInfo& device);

}  // namespace fastnorm
