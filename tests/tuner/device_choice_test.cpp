// SPDX-License-Identifier: Apache-2.0
#include "tuner/device_choice.hpp"

#include "support/scoped_environment.hpp"
#include "tuner/visible_gpu.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace fastnorm::tuner {
namespace {

TEST(DeviceChoice, IsAllOrAList) {
  EXPECT_EQ(parse_devices("all").value().which, DeviceChoice::Which::all);
  for (const char* text : {"0", "3", "0,2", "7,1,4"}) {
    const Result<DeviceChoice> choice = parse_devices(text);
    ASSERT_TRUE(choice.ok()) << text;
    EXPECT_EQ(choice.value().which, DeviceChoice::Which::listed);
    EXPECT_EQ(to_string(choice.value()), text);
  }
  EXPECT_EQ(parse_devices("7,1,4").value().numbers, (std::vector<int>{7, 1, 4}));
}

TEST(DeviceChoice, IsNothingElse) {
  for (const char* text :
       {"", "none", "0,", ",0", "0,0", "-1", "1-3", "0 1", "99999999999", "all,0"}) {
    EXPECT_FALSE(parse_devices(text).ok()) << text;
  }
}

// The numbers are those of the GPUs that this program sees.
TEST(VisibleGpu, IsOneOfThoseThatThisProgramSees) {
  const test::ScopedEnvironment some("CUDA_VISIBLE_DEVICES", "5,GPU-8932f937,1");
  EXPECT_EQ(visible_gpu(0), "CUDA_VISIBLE_DEVICES=5");
  EXPECT_EQ(visible_gpu(1), "CUDA_VISIBLE_DEVICES=GPU-8932f937");
  EXPECT_EQ(visible_gpu(3), "CUDA_VISIBLE_DEVICES=");
  unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(visible_gpu(2), "CUDA_VISIBLE_DEVICES=2");
}

}  // namespace
}  // namespace fastnorm::tuner
