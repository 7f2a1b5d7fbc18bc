// SPDX-License-Identifier: Apache-2.0
#include "backends/kokkos/host_backend.hpp"

#include "backends/kokkos/host_dispatch.hpp"
#include "backends/kokkos/host_loops.hpp"
#include "backends/kokkos/host_machine.hpp"
#include "support/scoped_environment.hpp"

#include <fastnorm/backend_info.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace fastnorm::kokkos {
namespace {

const DeviceInfo& host() { return *host_backend().device(-1).value(); }

TEST(HostBackend, DescribesTheMachine) {
  const DeviceInfo& info = host();
  EXPECT_EQ(info.memory, MemorySpace::host);
  EXPECT_EQ(info.ordinal, 0);
  EXPECT_EQ(info.compute_capability_major, 0);
  EXPECT_FALSE(info.name.empty());
  EXPECT_EQ(info.processors, HostSpace().concurrency());
  EXPECT_EQ(info.host_space, HostSpace::name());
  EXPECT_GT(info.memory_bytes, std::int64_t{1} << 26);
}

TEST(HostBackend, HasOneDevice) {
  EXPECT_EQ(host_backend().device(0).value(), host_backend().device(-1).value());
  for (const int ordinal : {-2, 1}) {
    const Status status = host_backend().device(ordinal).status();
    EXPECT_EQ(status.code(), StatusCode::invalid_argument);
    EXPECT_NE(status.message().find("device=" + std::to_string(ordinal)), std::string::npos);
  }
}

TEST(HostBackend, SaysWhatItsLoopsAreCompiledFor) {
  const std::vector<HostIsa> all = runnable_isas();
  for (const HostIsa& isa : all) {
    const test::ScopedEnvironment named("FASTNORM_HOST_ISA", std::string(isa.name));
    const std::string said = host_backend().software().value().instruction_set;
    // A build for one processor has no choice, and is named after that.
    EXPECT_TRUE(all.size() == 1 ? !said.empty() : said == isa.name) << said;
    EXPECT_EQ(backend_info("kokkos-host").value().instruction_set, said);
  }
  const test::ScopedEnvironment unknown("FASTNORM_HOST_ISA", "avx9");
  EXPECT_EQ(backend_info("kokkos-host").status().code(), StatusCode::invalid_argument);
}

TEST(HostBackend, SaysWhichKokkosItHas) {
  const std::string version = host_backend().software().value().kokkos;
  int major = 0;
  int minor = 0;
  int patch = 0;
  ASSERT_EQ(std::sscanf(version.c_str(), "%d.%d.%2d", &major, &minor, &patch), 3) << version;
  EXPECT_EQ(10000 * major + 100 * minor + patch, KOKKOS_VERSION);
  const BackendInfo info = backend_info("kokkos-host").value();
  EXPECT_EQ(info.kokkos_version, version);
  EXPECT_EQ(info.host_space, HostSpace::name());
  EXPECT_EQ(info.processors, HostSpace().concurrency());
  EXPECT_EQ(info.device_name, host().name);
  EXPECT_EQ(info.cuda_version, "");
}

TEST(HostBackend, CachesArePlausible) {
  const Caches caches = host_caches();
  if (caches.last_level_bytes == 0) GTEST_SKIP() << "this system does not describe its caches";
  EXPECT_GE(caches.last_level_bytes, std::int64_t{128} << 10);
  EXPECT_LT(caches.last_level_bytes, std::int64_t{4} << 30);
  EXPECT_GE(caches.private_bytes, 0);
  EXPECT_LE(caches.private_bytes, caches.last_level_bytes);
  EXPECT_EQ(host().l2_bytes, caches.last_level_bytes);
  EXPECT_EQ(host().private_cache_bytes, caches.private_bytes);
}

TEST(HostBackend, AccessesAllButDeviceMemory) {
  const int here = 0;
  const PointerInfo plain = host_backend().pointer_info(&here);
  EXPECT_EQ(plain.kind, PointerKind::host_plain);
  EXPECT_EQ(host_backend().pointer_info(nullptr).kind, PointerKind::unknown);
  EXPECT_TRUE(host_backend().can_access(host(), plain));
  for (const PointerKind kind :
       {PointerKind::host_pinned, PointerKind::managed, PointerKind::unknown}) {
    EXPECT_TRUE(host_backend().can_access(host(), {kind, -1}));
  }
  EXPECT_FALSE(host_backend().can_access(host(), {PointerKind::device, 0}));
}

TEST(HostBackend, ThreadsHaveWorkspacesOfTheirOwn) {
  const std::uint64_t mine = host_backend().stream_info(host(), {}).value().id;
  EXPECT_EQ(host_backend().stream_info(host(), {}).value().id, mine);
  std::uint64_t other = mine;
  std::thread([&] { other = host_backend().stream_info(host(), {}).value().id; }).join();
  EXPECT_NE(other, mine);
}

TEST(HostBackend, AllocatesAlignedMemory) {
  for (const std::size_t bytes : {1U, 100U, 1U << 20}) {
    const auto buffer = host_backend().allocate(host(), bytes);
    ASSERT_TRUE(buffer.ok()) << buffer.status().message();
    EXPECT_EQ(buffer.value()->size(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.value()->data()) % 64, 0U);
    std::memset(buffer.value()->data(), 1, bytes);
  }
}

TEST(HostBackend, ReportsMemoryThatCannotBeHad) {
  const auto buffer = host_backend().allocate(host(), std::numeric_limits<std::size_t>::max() / 2);
  EXPECT_EQ(buffer.status().code(), StatusCode::out_of_memory);
}

}  // namespace
}  // namespace fastnorm::kokkos
