// SPDX-License-Identifier: Apache-2.0
#include "tuner/gpu_name.hpp"

#include <gtest/gtest.h>

namespace fastnorm::tuner {
namespace {

TEST(GpuName, ComparesWholeWordsWhateverTheirCase) {
  EXPECT_TRUE(names_device("H100", "NVIDIA H100 80GB HBM3"));
  EXPECT_TRUE(names_device("h100", "NVIDIA H100 80GB HBM3"));
  EXPECT_TRUE(names_device("nvidia h100", "NVIDIA H100 80GB HBM3"));
  EXPECT_TRUE(names_device("A100", "NVIDIA A100-SXM4-80GB"));
  EXPECT_TRUE(names_device("A100-SXM4", "NVIDIA A100-SXM4-80GB"));
  EXPECT_TRUE(names_device("RTX 4090", "NVIDIA GeForce RTX 4090"));
  EXPECT_TRUE(names_device("NVIDIA H200", "NVIDIA H200"));
}

TEST(GpuName, APartOfAWordIsAnotherDevice) {
  EXPECT_FALSE(names_device("A10", "NVIDIA A100-SXM4-80GB"));
  EXPECT_FALSE(names_device("A100", "NVIDIA A10"));
  EXPECT_FALSE(names_device("H200", "NVIDIA GH200 480GB"));
  EXPECT_FALSE(names_device("H100", "NVIDIA H200"));
  EXPECT_FALSE(names_device("A100 80GB", "NVIDIA A100-SXM4-80GB"));
  EXPECT_FALSE(names_device("NVIDIA H200 extra", "NVIDIA H200"));
}

TEST(GpuName, NoWordNamesNothing) {
  EXPECT_FALSE(names_device("", "NVIDIA H200"));
  EXPECT_FALSE(names_device(" - ", "NVIDIA H200"));
}

TEST(GpuName, TheShortNameIsTheModel) {
  EXPECT_EQ(short_device_name("NVIDIA H100 80GB HBM3"), "H100");
  EXPECT_EQ(short_device_name("NVIDIA A100-SXM4-80GB"), "A100");
  EXPECT_EQ(short_device_name("NVIDIA GeForce RTX 4090"), "4090");
  EXPECT_EQ(short_device_name("NVIDIA TITAN V"), "NVIDIA TITAN V");
  for (const char* name : {"NVIDIA H100 80GB HBM3", "Tesla T4", "NVIDIA TITAN V"}) {
    EXPECT_TRUE(names_device(short_device_name(name), name)) << name;
  }
}

}  // namespace
}  // namespace fastnorm::tuner
