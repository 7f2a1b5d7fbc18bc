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

/// In the order x, y, gamma, beta, mean, rstd.
inline constexpr std::size_t tensor_count = 6;
using TensorViews = std::array<TensorView, tensor_count>;
using PointerInfos = std::array<PointerInfo, tensor_count>;

TensorViews tensors_of(const Problem& problem, const NormArgs& args) noexcept;

/// What kind of memory each pointer leads to. Once a call: each answer is a look-up in the driver.
/// Without a working device everything is plain host memory.
PointerInfos classify(const NormArgs& args) noexcept;

/// Null, misaligned, or overlapping tensors. Success allocates nothing.
Status check_arguments(const Problem& problem, const NormArgs& args);

/// Whether the device may touch every tensor that is there. Success allocates nothing.
Status check_accessible(const Problem& problem, const NormArgs& args, const PointerInfos& infos,
                        const Backend& backend, const DeviceInfo& device);

}  // namespace fastnorm
