#include "tuner/digest.hpp"

#include "core/fake_backend.hpp"
#include "support/shapes.hpp"
#include "tuner/sha256.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fastnorm::tuner {
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
  EXPECT_EQ(refusal_line(Problem::create(desc_).value(), MemorySpace::host),
            "group_norm 2x8x64 groups=4 f32: none for host memory");
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

TEST_F(DigestLines, TheVersionsAreInTheText) {
  const std::string text = digest_text({});
  EXPECT_EQ(text.rfind("fastnorm 0.", 0), 0U) << text;
  EXPECT_NE(text.find("kernels " + std::to_string(kernel_version) + "\n"), std::string::npos);
}

}  // namespace
}  // namespace fastnorm::tuner
