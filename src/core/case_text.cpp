// SPDX-License-Identifier: Apache-2.0
#include "core/case_text.hpp"

#include "core/epilogue_key.hpp"
#include "core/number_text.hpp"
#include "core/op_kind.hpp"
#include "core/tuning_db.hpp"

#include <cstdint>
#include <vector>

namespace fastnorm {
namespace {

/// The file format's fields that say where elements are. `desc` is what the tools make of them.
struct CaseShape {
  std::string op;
  std::string layout;
  std::int64_t n = 1;
  std::int64_t c = 1;
  std::vector<std::int64_t> spatial;
  std::int64_t groups = 1;
  NormDesc desc;
};

/// The problem's descriptor without what says where elements are.
NormDesc without_places(const Problem& problem) {
  NormDesc desc = problem.desc();
  desc.extents = {};
  desc.x_strides = {};
  desc.y_strides = {};
  return desc;
}

CaseShape over_groups(const Problem& problem) {
  const Extents& extents = problem.desc().extents;
  const bool channels_last = problem.layout() == Layout::channels_last;
  CaseShape shape;
  shape.op = to_string(problem.desc().op);
  shape.layout = channels_last ? "nhwc" : "nchw";
  shape.n = extents[0];
  shape.c = extents[1];
  for (int axis = 2; axis < extents.rank(); ++axis) shape.spatial.push_back(extents[axis]);
  shape.groups = problem.groups();
  shape.desc = without_places(problem);
  shape.desc.extents = extents;
  shape.desc.layout = problem.layout();
  return shape;
}

/// Rows side by side: as contiguous as their elements' order allows.
CaseShape over_rows(const Problem& problem) {
  CaseShape shape;
  shape.op = to_string(problem.desc().op);
  shape.layout = "rows";
  shape.n = problem.rows();
  shape.c = problem.row_len();
  shape.desc = without_places(problem);
  shape.desc.extents = {shape.n, shape.c};
  shape.desc.normalized_rank = 1;
  return shape;
}

/// Columns of a matrix of channels by positions, one matrix a sample.
CaseShape over_columns(const Problem& problem) {
  const std::int64_t c = problem.row_len();
  const std::int64_t positions = problem.memory().rows_per_outer;
  CaseShape shape;
  shape.op = std::string(to_string(problem.desc().op)) + "_channels";
  shape.layout = "nchw";
  shape.n = problem.memory().outers;
  shape.c = c;
  shape.spatial = {positions};
  shape.desc = without_places(problem);
  shape.desc.extents = {shape.n, positions, c};
  shape.desc.normalized_rank = 1;
  shape.desc.x_strides = shape.desc.y_strides = {c * positions, 1, positions};
  return shape;
}

CaseShape shape_of(const Problem& problem) {
  if (!normalises_last_extents(problem.desc().op)) return over_groups(problem);
  return problem.layout() == Layout::channels_last ? over_columns(problem) : over_rows(problem);
}

std::string list_text(const std::vector<std::int64_t>& extents) {
  std::string text;
  for (const std::int64_t extent : extents) {
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  }
  return "[" + text + "]";
}

/// Two cases of one name are one problem to a database.
std::string name_of(const CaseShape& shape, const NormDesc& desc) {
  std::string name = shape.op + "_" + std::to_string(shape.n) + "x" + std::to_string(shape.c);
  for (const std::int64_t extent : shape.spatial) name += "x" + std::to_string(extent);
  if (desc.op == Op::group_norm) name += "_g" + std::to_string(shape.groups);
  name += std::string("_") + to_string(desc.x_type);
  if (desc.y_type != desc.x_type) name += std::string("_to_") + to_string(desc.y_type);
  if (desc.affine_type != desc.x_type)
    name += std::string("_affine_") + to_string(desc.affine_type);
  name += "_" + shape.layout;
  const EpilogueKey epilogue = EpilogueKey::of(desc);
  if (epilogue == EpilogueKey()) return name;
  std::string words = to_string(epilogue);
  for (char& c : words) c = c == ' ' ? '_' : c;
  return name + "_" + words;
}

std::string yaml_of(const CaseShape& shape, const NormDesc& desc, const std::string& name,
                    std::string_view note) {
  std::string text = "{name: " + name;
  const auto put = [&text](const char* field, const std::string& value) {
    text += std::string(", ") + field + ": " + value;
  };
  put("op", shape.op);
  put("n", std::to_string(shape.n));
  put("c", std::to_string(shape.c));
  put("spatial", list_text(shape.spatial));
  put("groups", std::to_string(shape.groups));
  put("dtype", to_string(desc.x_type));
  if (desc.y_type != desc.x_type) put("y_dtype", to_string(desc.y_type));
  if (desc.affine_type != desc.x_type) put("affine_dtype", to_string(desc.affine_type));
  put("layout", shape.layout);
  if (desc.eps != NormDesc().eps) put("eps", number_text(desc.eps));
  EpilogueKey epilogue = EpilogueKey::of(desc);
  if (epilogue.activation != Activation::none) put("activation", to_string(epilogue.activation));
  epilogue.activation = Activation::none;
  if (!(epilogue == EpilogueKey())) put("fused", to_string(epilogue));
  if (!note.empty()) put("note", std::string(note));
  return text + "}";
}

}  // namespace

std::optional<CaseText> case_text(const Problem& problem, std::string_view note) {
  if (problem.empty()) return std::nullopt;
  const CaseShape shape = shape_of(problem);
  const Result<Problem> stated = Problem::create(shape.desc);
  if (!stated.ok() || !share_an_entry(stated.value(), problem)) return std::nullopt;
  CaseText text;
  text.name = name_of(shape, problem.desc());
  text.yaml = yaml_of(shape, problem.desc(), text.name, note);
  return text;
}

}  // namespace fastnorm
