// The oracle against results worked out by hand, and the comparison against what it must refuse.
#include "support/oracle.hpp"

#include "support/guarded_buffer.hpp"
#include "support/random.hpp"
#include "support/shapes.hpp"
#include "support/tolerance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fastnorm::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr float nan32 = std::numeric_limits<float>::quiet_NaN();

TEST(Oracle, FourConsecutiveNumbers) {
  const NormReference result =
      reference(group_norm_desc({1, 4}, 1), {{40000, 40001, 40002, 40003}, {}, {}});
  const double expected[] = {-1.341635, -0.447212, 0.447212, 1.341635};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(result.y[i], expected[i], 1e-6);
  EXPECT_EQ(result.mean, std::vector<double>{40001.5});
  EXPECT_NEAR(result.rstd[0], 1 / std::sqrt(1.25 + 1e-5), 1e-12);
}

TEST(Oracle, GroupsSplitTheChannelsAndSamplesAreSeparate) {
  // Two samples of two groups of one channel; each pair of positions is -1 and +1 around its mean.
  const NormReference result =
      reference(group_norm_desc({2, 2, 2}, 2, 0), {{0, 2, 9, 11, 4, 6, -3, -1}, {}, {}});
  EXPECT_EQ(result.y, (std::vector<double>{-1, 1, -1, 1, -1, 1, -1, 1}));
  EXPECT_EQ(result.mean, (std::vector<double>{1, 10, 5, -2}));
}

TEST(Oracle, AffineFollowsTheChannel) {
  const NormReference result =
      reference(group_norm_desc({1, 2, 2}, 1, 0), {{-1, 1, -1, 1}, {{2, 3}}, {{10, 20}}});
  EXPECT_EQ(result.y, (std::vector<double>{8, 12, 17, 23}));
}

TEST(Oracle, InstanceNormIsGroupNormWithOneChannelAGroup) {
  const NormDesc instance = instance_norm_desc({2, 3, 5});
  const NormInputs inputs = random_inputs(instance, 7);
  EXPECT_EQ(reference(instance, inputs).y, reference(group_norm_desc({2, 3, 5}, 3), inputs).y);
}

TEST(Tolerance, GrowsWithReferenceGammaAndTheMeanInDeviations) {
  EXPECT_DOUBLE_EQ(t32(0.5, 1, 0, 1), 2e-5);
  EXPECT_DOUBLE_EQ(t32(-8, 1, 0, 1), 16e-5);
  EXPECT_DOUBLE_EQ(t32(0, -3, 0, 1), 6e-5);
  EXPECT_DOUBLE_EQ(t32(0, 1, -(1 << 24), 0.5), 2e-5 + 1);
}

TEST(Comparison, NaNNeverPasses) {
  EXPECT_FALSE(all_within("y", {nan32}, {0}, {1}));
  EXPECT_FALSE(all_within("y", {nan32}, {nan}, {1}));
  EXPECT_FALSE(all_within("y", {0}, {nan}, {1}));
  EXPECT_FALSE(all_within("y", {0}, {0}, {nan}));
}

TEST(Comparison, NamesTheFirstAndTheWorst) {
  const ::testing::AssertionResult result =
      all_within("y", {0, 2, 0, 5}, {0, 0, 0, 0}, {1, 1, 1, 1});
  ASSERT_FALSE(result);
  const std::string message = result.message();
  EXPECT_NE(message.find("2 of 4 elements"), std::string::npos) << message;
  EXPECT_NE(message.find("first: y[1] is 2"), std::string::npos) << message;
  EXPECT_NE(message.find("worst: y[3] is 5"), std::string::npos) << message;
}

TEST(Comparison, OtherLengthFails) { EXPECT_FALSE(all_within("y", {}, {0}, {1})); }

TEST(GuardedBuffer, SeesAWriteOnEitherSide) {
  GuardedBuffer<float> buffer(host_memory(), 3, 1);
  EXPECT_TRUE(buffer.canaries_intact());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 16, sizeof(float));
  EXPECT_TRUE(std::isnan(buffer.read()[2]));

  buffer.data()[3] = 0;
  EXPECT_FALSE(buffer.canaries_intact());

  GuardedBuffer<float> other(host_memory(), 3);
  other.data()[-1] = 0;
  EXPECT_FALSE(other.canaries_intact());
}

}  // namespace
}  // namespace fastnorm::test
