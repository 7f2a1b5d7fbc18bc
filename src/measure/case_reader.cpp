// SPDX-License-Identifier: Apache-2.0
/// The cases' file format: a list with one flat mapping a case.
#include "core/enum_values.hpp"
#include "core/quoted.hpp"
#include "core/yaml_fields.hpp"
#include "core/yaml_tree.hpp"
#include "measure/cases.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

namespace fastnorm::measure {
namespace {

/// What the field `groups` must be for an operation.
enum class GroupsRule { divides_c, equals_c, one, zero };

struct OpSpelling {
  const char* name;
  GroupsRule groups;
};
constexpr std::array op_spellings = {
    OpSpelling{"group_norm", GroupsRule::divides_c},
    OpSpelling{"instance_norm", GroupsRule::equals_c},
    OpSpelling{"layer_norm", GroupsRule::one},
    OpSpelling{"rms_norm", GroupsRule::one},
    OpSpelling{"layer_norm_channels", GroupsRule::one},
    OpSpelling{"rms_norm_channels", GroupsRule::one},
    OpSpelling{"batch_norm", GroupsRule::zero},
    OpSpelling{"frobenius_norm", GroupsRule::zero},
    OpSpelling{"l1_normalize", GroupsRule::one},
    OpSpelling{"l2_normalize", GroupsRule::one},
};

struct LayoutSpelling {
  const char* name;
  Layout layout;
  int spatial_rank;  ///< any_rank, or what it must be.
};
constexpr int any_rank = -1;
constexpr std::array layout_spellings = {
    LayoutSpelling{"nchw", Layout::channels_first, any_rank},
    LayoutSpelling{"ncdhw", Layout::channels_first, 3},
    LayoutSpelling{"nhwc", Layout::channels_last, any_rank},
    LayoutSpelling{"ndhwc", Layout::channels_last, 3},
    LayoutSpelling{"rows", Layout::channels_first, 0},
};

template <class Value>
struct Named {
  const char* name;
  Value value;
};
constexpr std::array pass_spellings = {Named<Pass>{"fwd", Pass::forward},
                                       Named<Pass>{"fwd_bwd", Pass::forward_backward}};
constexpr std::array affine_spellings = {Named<Affine>{"true", Affine::present},
                                         Named<Affine>{"false", Affine::absent}};

/// gelu is the exact one; hardtanh is the clamp to [-1, 1], which are Epilogue's bounds.
constexpr std::array activation_spellings = {
    Named<Activation>{"none", Activation::none},
    Named<Activation>{"silu", Activation::silu},
    Named<Activation>{"relu", Activation::relu},
    Named<Activation>{"leaky_relu", Activation::leaky_relu},
    Named<Activation>{"gelu", Activation::gelu},
    Named<Activation>{"gelu_tanh", Activation::gelu_tanh},
    Named<Activation>{"elu", Activation::elu},
    Named<Activation>{"tanh", Activation::tanh},
    Named<Activation>{"clamp", Activation::clamp},
    Named<Activation>{"hardtanh", Activation::clamp},
    Named<Activation>{"hardswish", Activation::hardswish}};

struct Word {
  const char* name;
};
constexpr std::array evidences = {Word{"derived"}, Word{"config"}, Word{"unchecked"}};

template <class Spellings>
std::string list_names(const Spellings& spellings) {
  std::string names;
  for (const auto& spelling : spellings)
    names += (names.empty() ? "" : ", ") + std::string(spelling.name);
  return names;
}

/// Reads one case. The first thing wrong is kept as the failure.
class CaseReader {
 public:
  CaseReader(const YamlNode& node, const std::string& label, YamlFailure& failure)
      : fields_(node, label, failure), failure_(failure) {}

  Case read() {
    Case result;
    fields_.text("name", result.name);
    const OpSpelling op = word(fields_.require("op"), "op", op_spellings, op_spellings[0]);
    constexpr std::int64_t least = 1;  // a workload without elements measures nothing
    fields_.integer("n", least, result.n);
    fields_.integer("c", least, result.c);
    read_spatial(result.spatial);
    read_groups(op.groups, result);
    fields_.one_of("dtype", all_dtypes, result.dtype);
    read_other_type("y_dtype", result.y_dtype);
    read_other_type("affine_dtype", result.affine_dtype);
    read_layout(result);
    if (const YamlNode* eps = peek("eps"); eps != nullptr) fields_.amount("eps", result.eps);
    const bool instance_norm = op.groups == GroupsRule::equals_c;
    result.affine = word(fields_.find("affine"), "affine", affine_spellings,
                         affine_spellings[instance_norm ? 1 : 0])
                        .value;
    result.pass = word(fields_.find("pass"), "pass", pass_spellings, pass_spellings[0]).value;
    result.activation = word(fields_.find("activation"), "activation", activation_spellings,
                             activation_spellings[0])
                            .value;
    read_fused(result.fused);
    result.evidence = word(fields_.find("evidence"), "evidence", evidences, evidences[0]).name;
    for (const auto& [field, text] :
         {std::pair{"source", &result.source}, {"note", &result.note}}) {
      if (peek(field) != nullptr) fields_.text(field, *text);
    }
    fields_.refuse_unread();
    result.op = op.name;
    return result;
  }

 private:
  /// The value without having read it.
  const YamlNode* peek(std::string_view field) const {
    for (const YamlNode* member : fields_.unread()) {
      if (member->name == field) return member;
    }
    return nullptr;
  }

  /// The spelling that `value` names; `absent` where there is none.
  template <class Spelling, std::size_t count>
  Spelling word(const YamlNode* value, std::string_view field,
                const std::array<Spelling, count>& spellings, const Spelling& absent) {
    if (value == nullptr) return absent;
    if (value->kind == YamlNode::Kind::scalar) {
      for (const Spelling& spelling : spellings) {
        if (spelling.name == value->text) return spelling;
      }
    }
    fields_.refuse(field, *value, "one of " + list_names(spellings));
    return absent;
  }

  void read_spatial(std::vector<std::int64_t>& spatial) {
    constexpr std::size_t most = Extents::max_rank - 2;
    const YamlNode* value = fields_.require("spatial");
    if (value == nullptr) return;
    const std::string allowed = "a list of at most " + std::to_string(most) + " integers from 1";
    if (value->kind != YamlNode::Kind::sequence || value->children().size() > most) {
      fields_.refuse("spatial", *value, allowed);
      return;
    }
    for (const YamlNode& item : value->children()) {
      std::int64_t extent = 0;
      if (!YamlFields::parse_number(item, extent) || extent < 1)
        fields_.refuse("spatial", item, allowed);
      spatial.push_back(extent);
    }
  }

  void read_groups(GroupsRule rule, Case& result) {
    const YamlNode* value = peek("groups");
    constexpr std::int64_t least = 0;
    fields_.integer("groups", least, result.groups);
    if (!failure_.empty()) return;
    const std::string c = std::to_string(result.c);
    switch (rule) {
      case GroupsRule::divides_c:
        if (result.groups == 0 || result.c % result.groups != 0) {
          fields_.refuse("groups", *value, "a divisor of c, which is " + c);
        }
        break;
      case GroupsRule::equals_c:
        if (result.groups != result.c) fields_.refuse("groups", *value, "c, which is " + c);
        break;
      case GroupsRule::one:
        if (result.groups != 1) fields_.refuse("groups", *value, "1 for this op");
        break;
      case GroupsRule::zero:
        if (result.groups != 0) fields_.refuse("groups", *value, "0 for this op, which has none");
        break;
    }
  }

  void read_other_type(std::string_view field, std::optional<DType>& type) {
    if (peek(field) == nullptr) return;
    type = DType::f32;
    fields_.one_of(field, all_dtypes, *type);
  }

  void read_fused(EpilogueKey& fused) {
    const YamlNode* value = peek("fused");
    if (value == nullptr) return;
    std::string text;
    fields_.text("fused", text);
    const std::optional<EpilogueKey> key = parse_epilogue_key(text);
    if (!key || key->activation != Activation::none) {
      fields_.refuse("fused", *value,
                     epilogue_key_grammar() +
                         "; without the activation, which is "
                         "a field of its own");
      return;
    }
    fused = *key;
  }

  void read_layout(Case& result) {
    const YamlNode* value = fields_.require("layout");
    const LayoutSpelling layout = word(value, "layout", layout_spellings, layout_spellings[0]);
    result.layout = layout.layout;
    const std::size_t rank = result.spatial.size();
    if (layout.spatial_rank == any_rank || static_cast<std::size_t>(layout.spatial_rank) == rank) {
      return;
    }
    failure_.note(value->line, std::string("layout ") + layout.name + " has " +
                                   std::to_string(layout.spatial_rank) +
                                   " spatial extents, but spatial lists " + std::to_string(rank));
  }

  YamlFields fields_;
  YamlFailure& failure_;
};

/// "case kb1_35_groupnorm", or by position where there is no name.
std::string label_of(const YamlNode& node, std::size_t number) {
  for (const YamlNode& member : node.children()) {
    if (member.name == "name" && !member.text.empty())
      return "case " + shortened(member.text, longest_name);
  }
  return "case " + std::to_string(number);
}

Result<std::vector<Case>> read_list(const YamlNode& list, const std::string& source) {
  const auto failed = [&](const YamlFailure& failure) {
    return Status(StatusCode::invalid_argument,
                  source + ":" + std::to_string(failure.line) + ": " + failure.reason);
  };
  if (list.kind != YamlNode::Kind::sequence || list.children().empty()) {
    const bool empty = list.kind == YamlNode::Kind::sequence;
    return failed({list.line, "the cases are " + (empty ? "an empty list" : describe(list)) +
                                  "; they must be a list of mappings"});
  }
  std::vector<Case> cases;
  std::set<std::string> names;
  for (const YamlNode& node : list.children()) {
    const std::string label = label_of(node, cases.size() + 1);
    YamlFailure failure;
    Case read = CaseReader(node, label, failure).read();
    if (!names.insert(read.name).second) {
      failure.note(node.line, label + ": name is that of an earlier case");
    }
    if (!failure.empty()) return failed(failure);
    cases.push_back(std::move(read));
  }
  return cases;
}

}  // namespace

Result<std::vector<Case>> parse_cases(std::string_view text, const std::string& source) {
  const Result<YamlTree> tree = parse_yaml_tree(text, source);
  return tree.ok() ? read_list(tree.value().root(), source) : tree.status();
}

}  // namespace fastnorm::measure
