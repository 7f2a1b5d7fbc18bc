// SPDX-License-Identifier: Apache-2.0
/// The tensors of a call by name, so that one can be drawn.
#pragma once

#include <fastnorm/norm_desc.hpp>

#include <array>
#include <cstddef>

namespace fastnorm::test {

enum class TensorName { x, y, gamma, beta, mean, rstd, residual, sum, scale, shift };

inline constexpr std::array all_tensor_names = {
    TensorName::x,     TensorName::y,    TensorName::gamma,    TensorName::beta,
    TensorName::mean,  TensorName::rstd, TensorName::residual, TensorName::sum,
    TensorName::scale, TensorName::shift};

const char* to_string(TensorName name);

const void* pointer_of(const NormArgs& args, TensorName name);
void set_pointer(NormArgs& args, TensorName name, const void* pointer);

/// By the documentation of NormArgs.
DType type_of(const NormDesc& desc, TensorName name);
bool is_output(TensorName name);

/// Whether it has an element for each of x, in x's or y's places; the others are dense.
bool has_elements_of_x(TensorName name);

/// From its first element to behind its last, in a sound descriptor that has elements.
std::size_t span_in_bytes(const NormDesc& desc, TensorName name);

}  // namespace fastnorm::test
