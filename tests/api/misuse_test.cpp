// SPDX-License-Identifier: Apache-2.0
// A misuse of each argument: the right code, a message that names the argument, nothing launched.
#include "core/problem.hpp"
#include "support/plans.hpp"
#include "support/trial.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

namespace fastnorm::test {
namespace {

::testing::AssertionResult is_refusal(const Status& status, StatusCode code,
                                      const std::string& words) {
  if (status.code() != code) {
    return ::testing::AssertionFailure() << "expected " << to_string(code) << ", got "
                                         << to_string(status.code()) << ": " << status.message();
  }
  if (status.message().find(words) == std::string::npos) {
    return ::testing::AssertionFailure()
           << "\"" << status.message() << "\" lacks \"" << words << "\"";
  }
  return ::testing::AssertionSuccess();
}

class Misuse : public TargetTest {
 protected:
  void SetUp() override {
    TargetTest::SetUp();
    if (IsSkipped()) return;
    plans_ = plans_under_test(desc_, 1);
  }

  /// The pointers are refused by plans and by the free function, and nothing is written.
  void expect_refused(const std::function<void(NormArgs&)>& spoil, const std::string& words) {
    Trial trial(random_trial(desc_), target_memory());
    NormArgs args = trial.args();
    spoil(args);
    for (const Plan& plan : plans_) {
      const GarbageWorkspace workspace(target_memory(), plan.workspace_bytes());
      EXPECT_TRUE(is_refusal(plan.execute(args, workspace.data(), workspace.size()),
                             StatusCode::invalid_argument, words));
    }
    EXPECT_TRUE(is_refusal(normalize(desc_, args, {}, target_options()),
                           StatusCode::invalid_argument, words));
    EXPECT_TRUE(trial.untouched());
  }

  /// The descriptor or the options are refused, by Plan::create and by the free function.
  void expect_refused(const NormDesc& desc, const PlanOptions& options, StatusCode code,
                      const std::string& words) {
    EXPECT_TRUE(is_refusal(Plan::create(desc, options).status(), code, words));
    Trial trial(random_trial(desc_), target_memory());
    EXPECT_TRUE(is_refusal(normalize(desc, trial.args(), {}, options), code, words));
    EXPECT_TRUE(trial.untouched());
  }

  // Rows long enough for every strategy.
  NormDesc desc_ = group_norm_desc({2, 8, 700}, 4);
  std::vector<Plan> plans_;
};

void* shifted(const void* pointer, std::ptrdiff_t bytes) {
  return const_cast<char*>(static_cast<const char*>(pointer) + bytes);
}

TEST_F(Misuse, NullTensors) {
  expect_refused([](NormArgs& args) { args.x = nullptr; }, "x is null");
  expect_refused([](NormArgs& args) { args.y = nullptr; }, "y is null");
}

TEST_F(Misuse, PointersThatAreNotAlignedToTheirElements) {
  for (const std::ptrdiff_t bytes : {1, 2, 3}) {
    expect_refused([=](NormArgs& args) { args.x = shifted(args.x, bytes); }, "x=0x");
    expect_refused([=](NormArgs& args) { args.y = shifted(args.y, bytes); }, "y=0x");
    expect_refused([=](NormArgs& args) { args.gamma = shifted(args.gamma, bytes); }, "gamma=0x");
    expect_refused([=](NormArgs& args) { args.beta = shifted(args.beta, bytes); }, "beta=0x");
    expect_refused([=](NormArgs& args) { args.mean = shifted(args.mean, bytes); }, "mean=0x");
    expect_refused([=](NormArgs& args) { args.rstd = shifted(args.rstd, bytes); }, "rstd=0x");
  }
}

TEST_F(Misuse, OutputsThatOverlap) {
  constexpr std::ptrdiff_t element = sizeof(float);
  const std::ptrdiff_t last =
      static_cast<std::ptrdiff_t>(logical_shape(desc_).elements() - 1) * element;
  expect_refused([=](NormArgs& args) { args.y = shifted(args.x, element); }, "overlaps x");
  expect_refused([=](NormArgs& args) { args.y = shifted(args.x, -element); }, "overlaps x");
  expect_refused([=](NormArgs& args) { args.y = shifted(args.x, last); }, "overlaps x");
  expect_refused([](NormArgs& args) { args.gamma = args.y; }, "overlaps gamma");
  expect_refused([=](NormArgs& args) { args.beta = shifted(args.y, last); }, "overlaps beta");
  expect_refused([](NormArgs& args) { args.mean = const_cast<void*>(args.x); }, "mean=0x");
  expect_refused([](NormArgs& args) { args.mean = args.y; }, "mean=0x");
  expect_refused([](NormArgs& args) { args.rstd = args.mean; }, "rstd=0x");
  expect_refused([](NormArgs& args) { args.rstd = const_cast<void*>(args.gamma); }, "rstd=0x");
}

// Where gamma and beta are as large as y, they are no tensor to work in place on all the same.
TEST_F(Misuse, OutputsInPlaceOfTheAffine) {
  desc_ = group_norm_desc({1, 64}, 8);
  plans_ = plans_under_test(desc_, 1);
  expect_refused([](NormArgs& args) { args.gamma = args.y; }, "overlaps gamma");
  expect_refused([](NormArgs& args) { args.beta = args.y; }, "overlaps beta");
}

TEST_F(Misuse, NeighboursDoNotOverlap) {
  const std::size_t count = logical_shape(desc_).elements();
  GuardedBuffer<float> both(target_memory(), 2 * count);
  std::vector<float> x(2 * count);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7);
  both.write(x);
  const Status status =
      normalize(desc_, {both.data(), both.data() + count, nullptr, nullptr, nullptr, nullptr}, {},
                target_options());
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(Misuse, Workspaces) {
  std::size_t tried = 0;
  for (const Plan& plan : plans_) {
    const std::size_t bytes = plan.workspace_bytes();
    if (bytes == 0) continue;
    ++tried;
    Trial trial(random_trial(desc_), target_memory());
    GuardedBuffer<std::uint8_t> workspace(target_memory(), bytes + 16);
    const auto expect = [&](void* data, std::size_t size, const std::string& words) {
      EXPECT_TRUE(
          is_refusal(plan.execute(trial.args(), data, size), StatusCode::invalid_argument, words));
    };
    expect(nullptr, bytes, "workspace is null");
    expect(nullptr, 0, "workspace is null");
    expect(workspace.data(), bytes - 1, "workspace_bytes=" + std::to_string(bytes - 1));
    expect(workspace.data(), 0, "workspace_bytes=0");
    expect(workspace.data() + 4, bytes, "workspace=0x");
    expect(trial.args().y, bytes, "overlaps y=0x");
    EXPECT_TRUE(trial.untouched());
  }
  if (tried == 0) GTEST_SKIP() << "no strategy under test needs a workspace";
}

TEST_F(Misuse, Extents) {
  const auto refuse = [&](const Extents& extents, const std::string& words) {
    expect_refused(group_norm_desc(extents, 4), target_options(), StatusCode::invalid_argument,
                   words);
  };
  refuse({}, "rank 0");
  refuse({8}, "rank 1");
  Extents seventeen;
  for (int axis = 0; axis < 17; ++axis) seventeen.push_back(4);
  refuse(seventeen, "rank 17");
  refuse({-2, 8, 700}, "N=-2");
  refuse({2, -8, 700}, "C=-8");
  refuse({2, 0, 700}, "C=0");
  refuse({2, 8, -700}, "=-700");
  refuse(
      {std::int64_t{1} << 40, 8, std::int64_t{1} << 40},
      "extents=1099511627776x8x1099511627776 with elements of 4 bytes: the size in bytes exceeds "
      "2^63 - 1");
}

TEST_F(Misuse, Groups) {
  for (const std::int64_t groups : {0, -4, 3, 16}) {
    expect_refused(group_norm_desc({2, 8, 700}, groups), target_options(),
                   StatusCode::invalid_argument, "groups=" + std::to_string(groups));
  }
  NormDesc instance = instance_norm_desc({2, 8, 700});
  instance.groups = 4;
  expect_refused(instance, target_options(), StatusCode::invalid_argument, "groups=4");
}

TEST_F(Misuse, Eps) {
  const auto refuse = [&](double eps, const std::string& words) {
    expect_refused(group_norm_desc({2, 8, 700}, 4, eps), target_options(),
                   StatusCode::invalid_argument, words);
  };
  refuse(-1e-5, "eps=-1e-05");
  refuse(std::numeric_limits<double>::quiet_NaN(), "eps=nan");
  refuse(std::numeric_limits<double>::infinity(), "eps=inf");
}

TEST_F(Misuse, RanksAndGroupsOfRows) {
  const auto refuse = [&](const NormDesc& desc, const std::string& words) {
    expect_refused(desc, target_options(), StatusCode::invalid_argument, words);
  };
  refuse(layer_norm_desc({}, 1), "rank 0");
  refuse(layer_norm_desc({16, 700}, 0), "normalized_rank=0");
  refuse(rms_norm_desc({16, 700}, 3), "normalized_rank=3");
  refuse(layer_norm_desc({16, 0}, 1), "extent 1=0");
  NormDesc grouped = layer_norm_desc({16, 700}, 1);
  grouped.groups = 4;
  refuse(grouped, "groups=4");
}

TEST_F(Misuse, NumbersOfActivations) {
  const auto refuse = [&](const Epilogue& epilogue, const std::string& words) {
    NormDesc desc = desc_;
    desc.epilogue = epilogue;
    expect_refused(desc, target_options(), StatusCode::invalid_argument, words);
  };
  Epilogue epilogue;
  epilogue.activation = Activation::leaky_relu;
  epilogue.slope = std::numeric_limits<float>::infinity();
  refuse(epilogue, "slope=inf");
  epilogue.activation = Activation::elu;
  epilogue.alpha = std::numeric_limits<float>::quiet_NaN();
  refuse(epilogue, "alpha=nan");
  epilogue.activation = Activation::clamp;
  epilogue.lower = 3;
  refuse(epilogue, "lower=3 must not exceed upper=1");
}

TEST_F(Misuse, TypesAndLayoutsThatAreNotOffered) {
  const auto refuse = [&](const Types& types, const std::string& words) {
    expect_refused(with_types(desc_, types), target_options(), StatusCode::unsupported, words);
  };
  refuse({DType::f16, DType::bf16, DType::f32}, "x_type=f16 with y_type=bf16");
  refuse({DType::f32, DType::f64, DType::f32}, "x_type=f32 with y_type=f64");
  refuse({DType::f32, DType::f32, DType::f64}, "affine_type=f64 with x_type=f32");
  refuse({DType::bf16, DType::bf16, DType::f16}, "affine_type=f16 with x_type=bf16");
  NormDesc desc = layer_norm_desc({16, 700});
  desc.layout = Layout::channels_last;
  expect_refused(desc, target_options(), StatusCode::unsupported, "layout=channels_last");
}

TEST_F(Misuse, Strides) {
  const auto refuse = [&](const Strides& x, const Strides& y, StatusCode code,
                          const std::string& words) {
    NormDesc desc = desc_;
    desc.x_strides = x;
    desc.y_strides = y;
    expect_refused(desc, target_options(), code, words);
  };
  const StatusCode invalid = StatusCode::invalid_argument;
  refuse({700, 1}, {}, invalid, "x_strides=700x1 for extents=2x8x700: there must be one for each");
  refuse({5600, 700, 0}, {}, invalid, "x_strides=5600x700x0 for extents=2x8x700: the stride of");
  refuse({}, {5600, 699, 1}, invalid,
         "y_strides=5600x699x1 for extents=2x8x700: elements share a place");
  refuse({std::int64_t{1} << 62, 700, 1}, {}, invalid, "exceeds 2^63 - 1");
  refuse({20000, 2000, 2}, {}, StatusCode::unsupported,
         "x_strides=20000x2000x2 for extents=2x8x700: the elements of a group must be runs");
}

// Strides that no rows can be made of.
TEST_F(Misuse, StridesThatMakeNoRows) {
  NormDesc desc = layer_norm_desc({2, 3, 4, 5});
  desc.x_strides = {1000, 100, 10, 1};
  desc.y_strides = {1001, 200, 10, 1};
  expect_refused(desc, target_options(), StatusCode::unsupported, "x_strides=1000x100x10x1");
}

TEST_F(Misuse, TensorsThatTheDescriptorDoesNotAskFor) {
  const GuardedBuffer<float> other(target_memory(), logical_shape(desc_).elements());
  expect_refused([&](NormArgs& args) { args.residual = other.data(); },
                 "must be null unless the descriptor's residual, or the options' residual_sum, is "
                 "rounded_sum or exact_sum");
  expect_refused([&](NormArgs& args) { args.sum = other.data(); },
                 "must be null without a residual");
  const std::string no_modulation = "must be null unless the epilogue's modulation is scale_shift";
  expect_refused([&](NormArgs& args) { args.scale = other.data(); }, no_modulation);
  expect_refused([&](NormArgs& args) { args.shift = other.data(); }, no_modulation);
}

/// With descriptors that a back end need not offer.
class MisuseOfMore : public Misuse {
 protected:
  /// False where no back end under test offers it: then there is no plan to misuse.
  bool use(const NormDesc& desc) {
    desc_ = desc;
    plans_ = plans_under_test(desc_, 1);
    return !plans_.empty();
  }
};

TEST_F(MisuseOfMore, MeanOfRmsNorm) {
  if (!use(rms_norm_desc({16, 700}))) GTEST_SKIP() << "no rms_norm here";
  const GuardedBuffer<float> mean(target_memory(), 16);
  expect_refused([&](NormArgs& args) { args.mean = mean.data(); }, "rms_norm, which has no mean");
}

TEST_F(MisuseOfMore, Residuals) {
  NormDesc desc = with_type(layer_norm_desc({16, 700}), DType::bf16);
  desc.residual = Residual::rounded_sum;
  if (!use(desc)) GTEST_SKIP() << "no residual here";
  expect_refused([](NormArgs& args) { args.residual = nullptr; }, "residual is null");
  expect_refused([](NormArgs& args) { args.residual = shifted(args.residual, 1); }, "residual=0x");
  expect_refused([](NormArgs& args) { args.y = shifted(args.residual, 2); }, "overlaps residual");
  expect_refused([](NormArgs& args) { args.sum = args.y; }, "sum=0x");
  expect_refused([](NormArgs& args) { args.sum = args.y = const_cast<void*>(args.x); }, "sum=0x");
  expect_refused([](NormArgs& args) { args.sum = shifted(args.x, 2); }, "overlaps x");
}

TEST_F(MisuseOfMore, Modulation) {
  NormDesc desc = with_types(layer_norm_desc({2, 16, 700}), {DType::f16, DType::f16, DType::f32});
  desc.epilogue.modulation = Modulation::scale_shift;
  if (!use(desc)) GTEST_SKIP() << "no modulation here";
  expect_refused([](NormArgs& args) { args.scale = shifted(args.scale, 2); }, "scale=0x");
  expect_refused([](NormArgs& args) { args.shift = shifted(args.shift, 2); }, "shift=0x");
  expect_refused([](NormArgs& args) { args.scale = args.y; }, "overlaps scale");
  expect_refused([](NormArgs& args) { args.mean = const_cast<void*>(args.shift); }, "mean=0x");
}

TEST_F(Misuse, NamesThatDoNotExist) {
  PlanOptions options = target_options();
  options.backend = "vulkan";
  expect_refused(desc_, options, StatusCode::invalid_argument, "backend=\"vulkan\"");

  options = target_options();
  options.strategy = "three_kernels";
  expect_refused(desc_, options, StatusCode::invalid_argument, "strategy=\"three_kernels\"");

  options = target_options();
  options.config = "threads=256";
  expect_refused(desc_, options, StatusCode::invalid_argument, "config=\"threads=256\"");
}

TEST_F(Misuse, BackEndsOfTheOtherMemorySpace) {
  for (const Backend* backend : backends()) {
    if (backend->memory() == target_space()) continue;
    PlanOptions options = target_options();
    options.backend = backend->name();
    expect_refused(desc_, options, StatusCode::unsupported, "backend=\"" + options.backend + "\"");
  }
}

TEST_F(Misuse, LaunchesThatAreNone) {
  PlanOptions options = target_options();
  options.launches = static_cast<Launches>(7);
  expect_refused(desc_, options, StatusCode::invalid_argument, "launches=7");
}

TEST_F(Misuse, TuningThatIsNone) {
  PlanOptions options = target_options();
  options.tuning = static_cast<Tuning>(9);
  expect_refused(desc_, options, StatusCode::invalid_argument, "tuning=9");
}

TEST_F(Misuse, LaunchesThatTheCallerExcludes) {
  std::size_t tried = 0;
  for (const NormDesc& desc :
       {layer_norm_desc({3, 65536}), channels_last(group_norm_desc({1, 64, 2000}, 8))}) {
    desc_ = desc;
    for (const Plan& plan : plans_under_test(desc)) {
      if (!needs_coresidency(plan)) continue;
      ++tried;
      PlanOptions options = target_options();
      options.launches = Launches::independent_blocks;
      options.backend = plan.backend();
      options.strategy = plan.strategy();
      options.config = plan.config();
      expect_refused(desc, options, StatusCode::unsupported, "independent_blocks");
    }
  }
  if (tried == 0) GTEST_SKIP() << "no strategy under test has blocks that wait for each other";
}

TEST_F(Misuse, ConfigurationsThatAreMalformedOrImpossible) {
  for (const Plan& plan : plans_) {
    PlanOptions options = target_options();
    options.backend = plan.backend();
    options.strategy = plan.strategy();
    for (const char* config : {"x", "x=", "=1", ",", "no_such_field=1"}) {
      options.config = config;
      expect_refused(desc_, options, StatusCode::invalid_argument, "config");
    }

    // One field at a time: an extra one, a repeated one, and a value that no field can have.
    options.config = plan.config() + ",no_such_field=1";
    expect_refused(desc_, options, StatusCode::invalid_argument, "no_such_field");
    const ConfigFields fields = parse_config_text(plan.config()).value();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      ConfigFields spoilt = fields;
      spoilt.push_back(fields[i]);
      options.config = to_string(spoilt);
      expect_refused(desc_, options, StatusCode::invalid_argument, fields[i].name);

      spoilt = fields;
      spoilt[i].value = "-3";
      options.config = to_string(spoilt);
      const Status status = Plan::create(desc_, options).status();
      EXPECT_TRUE(status.code() == StatusCode::invalid_argument ||
                  status.code() == StatusCode::unsupported)
          << options.config << ": " << to_string(status.code()) << ": " << status.message();
      EXPECT_NE(status.message().find(fields[i].name), std::string::npos) << status.message();
    }
  }
}

}  // namespace
}  // namespace fastnorm::test
