// SPDX-License-Identifier: Apache-2.0
#include "c_api/versioned_struct.hpp"

#include <fastnorm/version.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace fastnorm::c_api {
namespace {

std::size_t size_at(const void* from) noexcept {
  std::size_t size = 0;
  std::memcpy(&size, from, sizeof size);
  return size;
}

std::string shown_size(const char* name, std::size_t size) {
  return std::string(name) + ".struct_size=" + std::to_string(size);
}

}  // namespace

Status check_struct_size(const char* name, const void* from, StructSizes sizes) {
  const std::size_t size = size_at(from);
  if (size >= sizes.first && size <= most_struct_bytes) return {};
  return Status(StatusCode::invalid_argument,
                shown_size(name, size) + " must be from " + std::to_string(sizes.first) + " to " +
                    std::to_string(most_struct_bytes) + "; the struct's _init function sets it");
}

Status read_struct(const char* name, const void* from, StructSizes sizes, void* to) {
  if (Status status = check_struct_size(name, from, sizes); !status.ok()) return status;
  const std::size_t size = size_at(from);
  const auto* bytes = static_cast<const unsigned char*>(from);
  const auto* const end = bytes + size;
  const auto* const unknown = bytes + std::min(size, sizes.now);
  const auto* const asked =
      std::find_if(unknown, end, [](unsigned char byte) { return byte != 0; });
  if (asked != end) {
    return Status(StatusCode::unsupported,
                  shown_size(name, size) + ": byte " + std::to_string(asked - bytes) +
                      " is not 0, and fastnorm " + version() + " knows the first " +
                      std::to_string(sizes.now) + " alone; what later versions added must be 0");
  }
  std::memcpy(to, from, std::min(size, sizes.now));
  return {};
}

void write_struct(const void* from, StructSizes sizes, void* to, std::size_t struct_size) noexcept {
  const std::size_t known = std::min(struct_size, sizes.now);
  std::memcpy(to, from, known);
  std::memset(static_cast<unsigned char*>(to) + known, 0, struct_size - known);
  std::memcpy(to, &struct_size, std::min(struct_size, sizeof struct_size));
}

}  // namespace fastnorm::c_api
