// SPDX-License-Identifier: Apache-2.0
// Each allocation of a call fails in turn: a status, no exception, and afterwards all is well.
#include "api/counting_new.hpp"
#include "c_api/last_error.hpp"
#include "support/target.hpp"

#include <fastnorm/fastnorm.h>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace fastnorm::test {
namespace {

class OutOfMemory : public TargetTest {
 protected:
  OutOfMemory() {
    fastnorm_norm_desc_init(&desc_, sizeof desc_);
    desc_.rank = 3;
    desc_.extents = extents_.data();
    desc_.groups = 2;
    fastnorm_plan_options_init(&options_, sizeof options_);
    options_.memory = FASTNORM_MEMORY_HOST;
    fastnorm_norm_args_init(&args_, sizeof args_);
    args_.x = values_.data();
    args_.y = values_.data();
  }

  /// Lets one allocation more succeed each time, until the call does. It must have failed before.
  template <class Call>
  static void fail_each_allocation_of(const Call& call) {
    constexpr std::size_t many = 10000;
    std::size_t allowed = 0;
    for (; allowed < many; ++allowed) {
      const fastnorm_status status = [&] {
        const AllocationLimit limit(allowed);
        return call();
      }();
      if (status == FASTNORM_OK) break;
      // The back end's runtime has a status of its own for what it could not do.
      ASSERT_TRUE(status == FASTNORM_OUT_OF_MEMORY || status == FASTNORM_UNAVAILABLE)
          << fastnorm_status_name(status) << ": " << fastnorm_last_error();
      ASSERT_STRNE(fastnorm_last_error(), "");
    }
    EXPECT_GT(allowed, 0U);
    EXPECT_LT(allowed, many);
  }

  static constexpr std::array<std::int64_t, 3> extents_ = {2, 4, 3};
  std::array<float, 24> values_{};
  fastnorm_norm_desc desc_{};
  fastnorm_plan_options options_{};
  fastnorm_norm_args args_{};
};

TEST_F(OutOfMemory, PlansAreNotMade) {
  fastnorm_plan* plan = nullptr;
  fail_each_allocation_of([&] { return fastnorm_plan_create(&desc_, &options_, &plan); });
  ASSERT_NE(plan, nullptr);
  // The hot path needs none, once the back end's runtime has had its own.
  ASSERT_EQ(fastnorm_plan_execute(plan, &args_, nullptr, 0, nullptr), FASTNORM_OK);
  const fastnorm_status status = [&] {
    const AllocationLimit limit(0);
    return fastnorm_plan_execute(plan, &args_, nullptr, 0, nullptr);
  }();
  EXPECT_EQ(status, FASTNORM_OK) << fastnorm_last_error();
  fastnorm_plan_destroy(plan);
}

TEST_F(OutOfMemory, CallsWithoutAPlanAreNotMade) {
  fail_each_allocation_of([&] { return fastnorm_normalize(&desc_, &args_, nullptr, &options_); });
}

TEST_F(OutOfMemory, UntunedShapesAreNotListed) {
  fastnorm_plan* plan = nullptr;
  ASSERT_EQ(fastnorm_plan_create(&desc_, &options_, &plan), FASTNORM_OK) << fastnorm_last_error();
  fastnorm_plan_destroy(plan);
  fastnorm_untuned_list* list = nullptr;
  fail_each_allocation_of([&] { return fastnorm_untuned_list_create(&list); });
  fastnorm_untuned_list_destroy(list);
}

TEST_F(OutOfMemory, BackEndsAreNotDescribed) {
  fastnorm_backend_info info{};
  fastnorm_backend_info_init(&info, sizeof info);
  fail_each_allocation_of([&] { return fastnorm_backend_describe("kokkos-host", -1, &info); });
  EXPECT_GT(info.processors, 0);
}

TEST_F(OutOfMemory, ARefusalThatCannotBeStatedIsOneOfMemory) {
  const std::string name(1000, 'x');
  options_.backend = name.c_str();
  fastnorm_plan* plan = nullptr;
  ASSERT_EQ(fastnorm_plan_create(&desc_, &options_, &plan), FASTNORM_INVALID_ARGUMENT);
  const fastnorm_status status = [&] {
    const AllocationLimit limit(0);
    return fastnorm_plan_create(&desc_, &options_, &plan);
  }();
  EXPECT_EQ(status, FASTNORM_OUT_OF_MEMORY);
  EXPECT_STREQ(fastnorm_last_error(), "out of host memory");
}

TEST(OutOfMemoryMessage, IsReplacedWhereItCannotBeKept) {
  const std::string message(100000, 'x');
  {
    const AllocationLimit limit(0);
    c_api::keep_message(message.c_str());
  }
  EXPECT_STREQ(fastnorm_last_error(),
               "out of host memory, for the message of another failure, too");
  c_api::keep_message(message.c_str());
  EXPECT_EQ(fastnorm_last_error(), message);
}

}  // namespace
}  // namespace fastnorm::test
