// SPDX-License-Identifier: Apache-2.0
#include "support/target.hpp"

namespace fastnorm::test {

MemorySpace target_space() noexcept { return MemorySpace::host; }
Memory& target_memory() { return host_memory(); }
std::string why_no_target() { return {}; }

TargetStream::TargetStream() = default;
TargetStream::~TargetStream() = default;
void TargetStream::synchronize() {}

}  // namespace fastnorm::test
