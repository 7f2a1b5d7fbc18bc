// SPDX-License-Identifier: Apache-2.0
#include "core/selection_digest.hpp"

#include "core/fake_backend.hpp"
#include "core/sha256.hpp"
#include "core/tuning_db.hpp"
#include "support/shapes.hpp"

#include <fastnorm/fastnorm.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace fastnorm {
namespace {

// FIPS 180-4's examples and the lengths around a block's padding, whose digests are coreutils'.
TEST(Sha256, OfKnownTexts) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sha256(std::string(55, 'a')),
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(sha256(std::string(56, 'a')),
            "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT_EQ(sha256(std::string(64, 'a')),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

class DigestLines : public ::testing::Test {
 protected:
  std::string line(const NormDesc& desc, int threads = 256) const {
    const Problem problem = Problem::create(desc).value();
    const Selection selection{{&backend_, &backend_.device_info()},
                              &variant_,
                              Config::of(test::FakeConfig{threads}),
                              Origin::exact,
                              "from a file"};
    return selection_line(problem, selection);
  }

  test::FakeVariant variant_{"strategy", 1};
  test::FakeBackend backend_{"fake-host", {&variant_}};
  NormDesc desc_ = test::group_norm_desc({2, 8, 64}, 4);
};

TEST_F(DigestLines, SayWhatRunsAndNotWhereThatIsFrom) {
  EXPECT_EQ(line(desc_), "group_norm 2x8x64 groups=4 f32: fake-host strategy threads=256");
  EXPECT_EQ(refusal_line(Problem::create(desc_).value()), "group_norm 2x8x64 groups=4 f32: none");
}

TEST_F(DigestLines, NeitherOrderNorRepetitionCounts) {
  const std::string a = line(desc_);
  const std::string b = line(test::group_norm_desc({4, 8, 64}, 4));
  EXPECT_EQ(digest_text(in_order({a, b})), digest_text(in_order({b, a, b})));
  EXPECT_NE(digest_text(in_order({a})), digest_text(in_order({a, b})));
}

TEST_F(DigestLines, EveryChoiceCounts) {
  EXPECT_NE(line(desc_, 256), line(desc_, 128));
  NormDesc other = desc_;
  other.x_type = other.y_type = other.affine_type = DType::f16;
  EXPECT_NE(line(desc_), line(other));
  other = desc_;
  other.epilogue.activation = Activation::silu;
  EXPECT_NE(line(desc_), line(other));
}

PlanOptions on_the_host() {
  PlanOptions options;
  options.memory = MemorySpace::host;
  return options;
}

TEST(SelectionDigest, IsThatOfTheLinesInOrder) {
  const NormDesc a = test::group_norm_desc({2, 8, 64}, 4);
  const NormDesc b = test::layer_norm_desc({0, 64});
  const std::vector<std::string> lines = {selection_line(a, on_the_host()).value(),
                                          selection_line(b, on_the_host()).value()};
  const Result<std::string> digest = selection_digest({b, a, b}, on_the_host());
  ASSERT_TRUE(digest.ok()) << digest.status().message();
  EXPECT_EQ(digest.value(), sha256(digest_text(in_order(lines))));
  EXPECT_NE(digest.value(), selection_digest({a}, on_the_host()).value());
}

TEST(SelectionDigest, AShapeThatNoStrategySupportsIsALineOfIt) {
  const NormDesc desc = test::group_norm_desc({2, 8, 64}, 4);
  PlanOptions options = on_the_host();
  options.strategy = "rows";
  options.config = "lanes=3,block=1024,threads=1,store=cached";
  ASSERT_EQ(Plan::create(desc, options).status().code(), StatusCode::unsupported);
  const Result<std::string> digest = selection_digest({desc}, options);
  ASSERT_TRUE(digest.ok()) << digest.status().message();
  EXPECT_EQ(digest.value(), sha256(digest_text({refusal_line(Problem::create(desc).value())})));
}

TEST(SelectionDigest, WhatCanNeverBeRightIsNamedByItsPlace) {
  const NormDesc right = test::group_norm_desc({2, 8, 64}, 4);
  const NormDesc wrong = test::group_norm_desc({2, 8, 64}, 3);
  const Result<std::string> digest = selection_digest({right, wrong}, on_the_host());
  ASSERT_FALSE(digest.ok());
  EXPECT_EQ(digest.status().code(), StatusCode::invalid_argument);
  EXPECT_EQ(digest.status().message().rfind("shapes[1]: ", 0), 0U) << digest.status().message();
}

TEST(SelectionDigest, AsksWithoutMeeting) {
  const NormDesc desc = test::group_norm_desc({2, 8, 4096}, 2);
  const std::size_t before = untuned_shapes().size();
  ASSERT_TRUE(selection_digest({desc}, on_the_host()).ok());
  EXPECT_EQ(untuned_shapes().size(), before);
  ASSERT_TRUE(Plan::create(desc, on_the_host()).ok());
  EXPECT_EQ(untuned_shapes().size(), before + 1);
}

TEST_F(DigestLines, TheVersionsAreInTheText) {
  const std::string text = digest_text({});
  EXPECT_EQ(text.rfind("fastnorm 0.", 0), 0U) << text;
  EXPECT_NE(text.find("kernels " + std::to_string(kernel_version) + "\n"), std::string::npos);
}

}  // namespace
}  // namespace fastnorm
