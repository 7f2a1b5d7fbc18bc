// SPDX-License-Identifier: Apache-2.0
#include "tuner/case_selection.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fastnorm::tuner {
namespace {

using measure::Case;

std::vector<Case> shipped() { return measure::shipped_cases().value(); }

TEST(CaseSelection, AllWithoutOptions) {
  EXPECT_EQ(select_cases(shipped(), {}).value().size(), shipped().size());
}

TEST(CaseSelection, NamedOnesInTheOrderGiven) {
  Options options;
  options.case_names = {"kb1_35_groupnorm", "cyclegan_g_c64_256"};
  const auto cases = select_cases(shipped(), options);
  ASSERT_TRUE(cases.ok()) << cases.status().message();
  ASSERT_EQ(cases.value().size(), 2u);
  EXPECT_EQ(cases.value()[0].name, "kb1_35_groupnorm");
}

TEST(CaseSelection, AnUnknownNameIsAnsweredWithTheNearest) {
  Options options;
  options.case_names = {"kb1_35_groupnrm"};
  const auto cases = select_cases(shipped(), options);
  ASSERT_FALSE(cases.ok());
  EXPECT_NE(cases.status().message().find("\"kb1_35_groupnrm\""), std::string::npos);
  EXPECT_NE(cases.status().message().find(" kb1_35_groupnorm"), std::string::npos);
}

TEST(CaseSelection, OpAndDtypeSelect) {
  Options options;
  options.op = "instance_norm";
  options.dtype = "f32";
  const auto cases = select_cases(shipped(), options);
  ASSERT_TRUE(cases.ok()) << cases.status().message();
  for (const Case& workload : cases.value()) {
    EXPECT_EQ(workload.op, "instance_norm");
    EXPECT_EQ(workload.dtype, DType::f32);
  }
  options.dtype = "f64";
  EXPECT_FALSE(select_cases(shipped(), options).ok());
}

TEST(CaseSelection, AShapeStandsForItself) {
  Options options;
  options.shape = {112, 64, 512, 512};
  options.groups = 8;
  const auto cases = select_cases({}, options);
  ASSERT_TRUE(cases.ok()) << cases.status().message();
  const Case& workload = cases.value().at(0);
  EXPECT_EQ(workload.name, "group_norm_112x64x512x512_g8");
  EXPECT_EQ(workload.spatial, (std::vector<std::int64_t>{512, 512}));
  EXPECT_EQ(workload.groups, 8);
  EXPECT_TRUE(to_desc(workload).ok());
}

TEST(CaseSelection, GroupsAreNeededForGroupNormOnly) {
  Options options;
  options.shape = {2, 6, 5};
  const auto group_norm = select_cases({}, options);
  ASSERT_FALSE(group_norm.ok());
  EXPECT_NE(group_norm.status().message().find("--groups"), std::string::npos);
  options.op = "instance_norm";
  const auto instance_norm = select_cases({}, options);
  ASSERT_TRUE(instance_norm.ok());
  EXPECT_EQ(instance_norm.value()[0].groups, 6);
  EXPECT_EQ(instance_norm.value()[0].affine, measure::Affine::absent);
  options.op = "layer_norm";
  const auto layer_norm = select_cases({}, options);
  ASSERT_TRUE(layer_norm.ok()) << layer_norm.status().message();
  EXPECT_EQ(layer_norm.value()[0].name, "layer_norm_2x6x5");
  EXPECT_EQ(layer_norm.value()[0].groups, 1);
  EXPECT_TRUE(to_desc(layer_norm.value()[0]).ok());
}

}  // namespace
}  // namespace fastnorm::tuner
