// SPDX-License-Identifier: Apache-2.0
#include "measure/cases.hpp"

#include "core/enum_values.hpp"
#include "core/op_kind.hpp"
#include "core/problem.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace fastnorm::measure {
namespace {

constexpr const char* good =
    "- {name: a, op: group_norm, n: 2, c: 6, spatial: [3, 5], groups: 3, dtype: f32, layout: "
    "nchw}\n";

/// The good case with one field replaced.
std::string with(const std::string& from, const std::string& to) {
  std::string text = good;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Cases, ShippedWorkloadsLoad) {
  const auto cases = shipped_cases();
  ASSERT_TRUE(cases.ok()) << cases.status().message();
  EXPECT_EQ(cases.value().size(), 132u);
  std::size_t offered = 0;
  std::set<std::string> refused_ops;
  for (const Case& workload : cases.value()) {
    const Result<NormDesc> desc = to_desc(workload);
    if (desc.ok()) {
      ++offered;
    } else {
      EXPECT_EQ(desc.status().code(), StatusCode::unsupported) << desc.status().message();
      refused_ops.insert(workload.op);
    }
  }
  EXPECT_GE(offered, 100u);
  for (const Op op : all_ops) EXPECT_EQ(refused_ops.count(to_string(op)), 0u) << to_string(op);
  EXPECT_EQ(refused_ops.count("layer_norm_channels") + refused_ops.count("rms_norm_channels"), 0u);
}

TEST(Cases, EveryFieldIsRead) {
  const auto cases = parse_cases(
      "- {name: a, op: instance_norm, n: 2, c: 6, spatial: [3, 5, 7], groups: 6, dtype: bf16,\n"
      "   layout: ndhwc, activation: relu, affine: true, pass: fwd_bwd, eps: 1e-3,\n"
      "   y_dtype: f32, affine_dtype: f32, fused: residual modulation,\n"
      "   evidence: config, source: here, note: \"odd, and quoted\"}\n"
      "- {name: b, op: instance_norm, n: 1, c: 1, spatial: [], groups: 1, dtype: f16, layout: "
      "rows}\n",
      "t");
  ASSERT_TRUE(cases.ok()) << cases.status().message();
  const Case& a = cases.value()[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.op, "instance_norm");
  EXPECT_EQ(a.n, 2);
  EXPECT_EQ(a.c, 6);
  EXPECT_EQ(a.spatial, (std::vector<std::int64_t>{3, 5, 7}));
  EXPECT_EQ(a.groups, 6);
  EXPECT_EQ(a.dtype, DType::bf16);
  EXPECT_EQ(a.layout, Layout::channels_last);
  EXPECT_EQ(a.activation, Activation::relu);
  EXPECT_EQ(a.y_dtype, DType::f32);
  EXPECT_EQ(a.affine_dtype, DType::f32);
  EXPECT_EQ(a.fused.residual, Residual::rounded_sum);
  EXPECT_EQ(a.fused.modulation, Modulation::scale_shift);
  EXPECT_EQ(a.affine, Affine::present);
  EXPECT_EQ(a.pass, Pass::forward_backward);
  EXPECT_EQ(a.eps, 1e-3);
  EXPECT_EQ(a.evidence, "config");
  EXPECT_EQ(a.source, "here");
  EXPECT_EQ(a.note, "odd, and quoted");
  const Case& b = cases.value()[1];
  EXPECT_EQ(b.affine, Affine::absent);
  EXPECT_EQ(b.layout, Layout::channels_first);
  EXPECT_EQ(b.eps, 1e-5);
  EXPECT_EQ(b.pass, Pass::forward);
  EXPECT_EQ(b.activation, Activation::none);
  EXPECT_FALSE(b.y_dtype || b.affine_dtype);
  EXPECT_TRUE(b.fused == EpilogueKey{});
}

struct Malformed {
  const char* name;
  std::string text;
  std::vector<std::string> said;  ///< Pieces of the message.
};

class MalformedCases : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedCases, AreRefusedByFileLineCaseAndField) {
  const auto cases = parse_cases(GetParam().text, "my.yaml");
  ASSERT_FALSE(cases.ok());
  EXPECT_EQ(cases.status().code(), StatusCode::invalid_argument);
  const std::string message = cases.status().message();
  EXPECT_EQ(message.rfind("my.yaml:", 0), 0u) << message;
  for (const std::string& piece : GetParam().said) {
    EXPECT_NE(message.find(piece), std::string::npos) << piece << "\n  in: " << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fields, MalformedCases,
    ::testing::Values(
        Malformed{"NoYaml", "- {name: a", {"my.yaml:"}}, Malformed{"Empty", "", {"my.yaml:"}},
        Malformed{"EmptyList", "[]", {"my.yaml:1", "empty list"}},
        Malformed{"NoList", "a: 1", {"my.yaml:1", "mapping"}},
        Malformed{"CaseIsNoMapping", "- 3", {"my.yaml:1", "case 1", "mapping"}},
        Malformed{"NameMissing", with("name: a, ", ""), {"case 1", "name"}},
        Malformed{"NameEmpty", with("name: a", "name: \"\""), {"case 1", "name", "not empty"}},
        Malformed{"NameTwice", std::string(good) + good, {"my.yaml:2", "case a", "earlier case"}},
        Malformed{"FieldTwice", with("n: 2", "n: 2, n: 3"), {"case a", "\"n\" twice"}},
        Malformed{"FieldUnknown", with("n: 2", "n: 2, m: 3"), {"case a", "unknown field \"m\""}},
        Malformed{"OpMissing", with("op: group_norm, ", ""), {"case a", "\"op\""}},
        Malformed{
            "OpUnknown", with("group_norm", "groupnorm"), {"op is \"groupnorm\"", "group_norm"}},
        Malformed{"OpIsList", with("group_norm", "[]"), {"op is a list"}},
        Malformed{"NNotInteger", with("n: 2", "n: 2.5"), {"n is \"2.5\"", "integer"}},
        Malformed{"NNegative", with("n: 2", "n: -2"), {"n is \"-2\"", "from 1"}},
        Malformed{"NZero", with("n: 2", "n: 0"), {"n is \"0\"", "from 1"}},
        Malformed{"NTooLarge", with("n: 2", "n: 99999999999999999999"), {"n is"}},
        Malformed{"CNegative", with("c: 6", "c: -6"), {"c is \"-6\"", "from 1"}},
        Malformed{"SpatialNoList", with("[3, 5]", "15"), {"spatial is \"15\"", "list"}},
        Malformed{"SpatialOfText", with("[3, 5]", "[3, x]"), {"spatial is \"x\"", "integers"}},
        Malformed{"SpatialNegative", with("[3, 5]", "[3, -5]"), {"spatial is \"-5\"", "from 1"}},
        Malformed{
            "SpatialTooLong", with("[3, 5]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"), {"spatial", "14"}},
        Malformed{"GroupsNotDividing",
                  with("groups: 3", "groups: 4"),
                  {"groups is \"4\"", "divisor of c, which is 6"}},
        Malformed{"GroupsZero", with("groups: 3", "groups: 0"), {"groups is \"0\"", "divisor"}},
        Malformed{"GroupsOfInstanceNorm",
                  with("group_norm", "instance_norm"),
                  {"groups is \"3\"", "c, which is 6"}},
        Malformed{"GroupsOfLayerNorm", with("group_norm", "layer_norm"), {"groups is \"3\"", "1"}},
        Malformed{"GroupsOfBatchNorm", with("group_norm", "batch_norm"), {"groups is \"3\"", "0"}},
        Malformed{
            "DtypeUnknown", with("f32", "float"), {"dtype is \"float\"", "f32, f16, bf16, f64"}},
        Malformed{"YDtypeUnknown", with("f32", "f32, y_dtype: float"), {"y_dtype is \"float\""}},
        Malformed{
            "FusedUnknown", with("f32", "f32, fused: bias"), {"fused is \"bias\"", "residual"}},
        Malformed{"FusedOrder",
                  with("f32", "f32, fused: modulation residual"),
                  {"fused is \"modulation residual\"", "in this order"}},
        Malformed{"FusedActivation",
                  with("f32", "f32, fused: silu residual"),
                  {"fused is \"silu residual\"", "field of its own"}},
        Malformed{"LayoutUnknown", with("nchw", "nhcw"), {"layout is \"nhcw\"", "ncdhw"}},
        Malformed{"LayoutRank", with("nchw", "ncdhw"), {"ncdhw", "3 spatial", "2"}},
        Malformed{"RowsWithSpatial", with("nchw", "rows"), {"rows", "0 spatial"}},
        Malformed{"EpsNegative", with("n: 2", "n: 2, eps: -1"), {"eps is \"-1\"", "number"}},
        Malformed{"EpsNan", with("n: 2", "n: 2, eps: nan"), {"eps is \"nan\""}},
        Malformed{"AffineNoFlag",
                  with("n: 2", "n: 2, affine: yes"),
                  {"affine is \"yes\"", "true, false"}},
        Malformed{"PassUnknown", with("n: 2", "n: 2, pass: bwd"), {"pass is \"bwd\"", "fwd_bwd"}},
        Malformed{"ActivationUnknown",
                  with("n: 2", "n: 2, activation: mish"),
                  {"activation is \"mish\"", "silu"}},
        Malformed{
            "EvidenceUnknown", with("n: 2", "n: 2, evidence: hearsay"), {"evidence", "config"}},
        Malformed{"SourceNoText", with("n: 2", "n: 2, source: [a]"), {"source is a list"}}),
    [](const ::testing::TestParamInfo<Malformed>& info) { return std::string(info.param.name); });

TEST(Cases, TheLineIsThatOfTheField) {
  const auto cases = parse_cases(std::string(good) +
                                     "- name: b\n  op: group_norm\n  n: 2\n  c: 6\n  spatial: [1]\n"
                                     "  groups: 4\n  dtype: f32\n  layout: nchw\n",
                                 "my.yaml");
  ASSERT_FALSE(cases.ok());
  EXPECT_EQ(cases.status().message().rfind("my.yaml:7: case b", 0), 0u) << cases.status().message();
}

TEST(Cases, AFileIsNamedInErrors) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "w.yaml";
  const auto missing = load_cases(path);
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.status().message().find(path.string()), std::string::npos);
  std::ofstream(path) << good;
  EXPECT_TRUE(load_cases(path).ok());
  EXPECT_FALSE(load_cases(folder.path()).ok());
}

TEST(ToDesc, AbsurdExtentsAreRefusedBeforeStridesAreMadeOfThem) {
  for (const char* op : {"group_norm", "layer_norm_channels"}) {
    Case workload = parse_cases(good, "t").value()[0];
    workload.op = op;
    workload.spatial = {std::int64_t{1} << 40, std::int64_t{1} << 40};
    EXPECT_EQ(to_desc(workload).status().code(), StatusCode::invalid_argument);
  }
}

TEST(ToDesc, KeepsWhatTheLibraryOffers) {
  Case workload = parse_cases(good, "t").value()[0];
  const Result<NormDesc> desc = to_desc(workload);
  ASSERT_TRUE(desc.ok()) << desc.status().message();
  EXPECT_EQ(desc.value().extents, (Extents{2, 6, 3, 5}));
  EXPECT_EQ(desc.value().groups, 3);
}

NormDesc desc_of(const std::string& text) {
  const Result<NormDesc> desc = to_desc(parse_cases(text, "t").value().at(0));
  EXPECT_TRUE(desc.ok()) << desc.status().message();
  return desc.value();
}

TEST(ToDesc, TheActivationIsPartOfTheCall) {
  const auto epilogue_of = [](const std::string& activation) {
    return desc_of(with("n: 2", "n: 2, activation: " + activation)).epilogue;
  };
  EXPECT_EQ(desc_of(good).epilogue.activation, Activation::none);
  EXPECT_EQ(epilogue_of("none").activation, Activation::none);
  EXPECT_EQ(epilogue_of("silu").activation, Activation::silu);
  EXPECT_EQ(epilogue_of("relu").activation, Activation::relu);
  EXPECT_EQ(epilogue_of("elu").activation, Activation::elu);
  EXPECT_EQ(epilogue_of("tanh").activation, Activation::tanh);
  EXPECT_EQ(epilogue_of("hardswish").activation, Activation::hardswish);
  EXPECT_EQ(epilogue_of("gelu").activation, Activation::gelu) << "the exact one";
  EXPECT_EQ(epilogue_of("leaky_relu").activation, Activation::leaky_relu);
  EXPECT_EQ(epilogue_of("leaky_relu").slope, 0.01F);
  for (const char* name : {"clamp", "hardtanh"}) {
    EXPECT_EQ(epilogue_of(name).activation, Activation::clamp);
    EXPECT_EQ(epilogue_of(name).lower, -1);
    EXPECT_EQ(epilogue_of(name).upper, 1);
  }
}

// Untuned shapes are recorded by these names, as cases for the tuner.
TEST(ToDesc, EveryOperationAndActivationHasItsName) {
  for (const Activation activation : all_activations) {
    const std::string name = to_string(activation);
    EXPECT_EQ(desc_of(with("n: 2", "n: 2, activation: " + name)).epilogue.activation, activation);
  }
  for (const Op op : all_ops) {
    std::string text = with("group_norm", to_string(op));
    const char* groups = normalises_last_extents(op) ? "groups: 1"
                         : op == Op::instance_norm   ? "groups: 6"
                                                     : "groups: 3";
    text.replace(text.find("groups: 3"), 9, groups);
    EXPECT_EQ(desc_of(text).op, op);
    if (!normalises_last_extents(op)) continue;
    text.insert(text.find(", n: 2"), "_channels");
    EXPECT_EQ(desc_of(text).op, op);
    EXPECT_EQ(desc_of(text).normalized_rank, 1);
  }
}

TEST(ToDesc, RowsOfLayerNormAreAllButTheFirstExtent) {
  const std::string rows =
      "- {name: a, op: rms_norm, n: 7, c: 6, spatial: [], groups: 1, dtype: "
      "bf16, layout: rows}\n";
  EXPECT_EQ(desc_of(rows).op, Op::rms_norm);
  EXPECT_EQ(desc_of(rows).extents, (Extents{7, 6}));
  EXPECT_EQ(desc_of(rows).normalized_rank, 1);
  EXPECT_EQ(desc_of(rows).affine_type, DType::bf16);
  const NormDesc image = desc_of(with("group_norm, n: 2, c: 6, spatial: [3, 5], groups: 3",
                                      "layer_norm, n: 2, c: 6, spatial: [3, 5], groups: 1"));
  EXPECT_EQ(image.extents, (Extents{2, 6, 3, 5}));
  EXPECT_EQ(image.normalized_rank, 3);
}

TEST(ToDesc, ImagesWithChannelsLast) {
  const NormDesc desc = desc_of(with("nchw", "nhwc"));
  EXPECT_EQ(desc.extents, (Extents{2, 6, 3, 5}));
  EXPECT_EQ(desc.layout, Layout::channels_last);
  EXPECT_EQ(Problem::create(desc).value().layout(), Layout::channels_last);
}

TEST(ToDesc, NormsOverChannelsAreRowsOfPositions) {
  const auto over_channels = [](const std::string& op, const std::string& layout) {
    std::string text = with("group_norm", op);
    text.replace(text.find("groups: 3"), 9, "groups: 1");
    return desc_of(text.replace(text.find("nchw"), 4, layout));
  };
  // Channels-last, the rows are contiguous.
  const NormDesc rows = over_channels("layer_norm_channels", "nhwc");
  EXPECT_EQ(rows.op, Op::layer_norm);
  EXPECT_EQ(rows.extents, (Extents{2, 3, 5, 6}));
  EXPECT_EQ(rows.normalized_rank, 1);
  EXPECT_TRUE(Problem::create(rows).value().dense_rows());
  // Channels-first, they are columns.
  const NormDesc columns = over_channels("rms_norm_channels", "nchw");
  EXPECT_EQ(columns.op, Op::rms_norm);
  EXPECT_EQ(columns.extents, rows.extents);
  EXPECT_EQ(columns.x_strides, (Strides{90, 5, 1, 15}));
  EXPECT_EQ(columns.y_strides, columns.x_strides);
  const Problem problem = Problem::create(columns).value();
  EXPECT_EQ(problem.rows(), 2 * 3 * 5);
  EXPECT_EQ(problem.row_len(), 6);
  EXPECT_EQ(problem.memory().run_len, 1);
  EXPECT_EQ(problem.memory().x, (RowStrides{90, 1, 15}));
  // Without positions there is no difference.
  const std::string vectors =
      "- {name: a, op: layer_norm_channels, n: 2, c: 6, spatial: [], groups: 1, dtype: f32, "
      "layout: nchw}\n";
  EXPECT_EQ(desc_of(vectors).extents, (Extents{2, 6}));
  EXPECT_TRUE(Problem::create(desc_of(vectors)).value().dense_rows());
}

TEST(ToDesc, SaysWhyACaseIsSkipped) {
  const auto reason = [](const std::string& text) {
    const auto cases = parse_cases(text, "t");
    EXPECT_TRUE(cases.ok()) << cases.status().message();
    const Result<NormDesc> desc = to_desc(cases.value()[0]);
    EXPECT_EQ(desc.status().code(), StatusCode::unsupported);
    return desc.status().message();
  };
  EXPECT_EQ(reason(with("group_norm, n: 2, c: 6, spatial: [3, 5], groups: 3",
                        "l2_normalize, n: 2, c: 6, spatial: [], groups: 1")),
            "op l2_normalize is not offered yet");
}

}  // namespace
}  // namespace fastnorm::measure
