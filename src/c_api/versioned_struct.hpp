// SPDX-License-Identifier: Apache-2.0
/// Structs that begin with their own size, between programs and libraries of different versions:
/// the rules that <fastnorm/fastnorm.h> states.
#pragma once

#include <fastnorm/status.hpp>

#include <cstddef>

namespace fastnorm::c_api {

/// What the rules need to know of a struct.
struct StructSizes {
  std::size_t first;  ///< In the first version that had it.
  std::size_t now;
};

/// Larger sizes are taken for memory that nobody has initialised.
inline constexpr std::size_t most_struct_bytes = 4096;

/// Whether some version may have had the size that the struct begins with. `name` is the
/// argument's.
Status check_struct_size(const char* name, const void* from, StructSizes sizes);

/// Overwrites those members of *to, which has the defaults, that *from has. Errors: no such size,
/// or bytes beyond ours that are not 0.
Status read_struct(const char* name, const void* from, StructSizes sizes, void* to);

/// Fills a struct of `struct_size` bytes: their number, what *from has behind its own, then zeros.
void write_struct(const void* from, StructSizes sizes, void* to, std::size_t struct_size) noexcept;

}  // namespace fastnorm::c_api
