// SPDX-License-Identifier: Apache-2.0
/// Reads the fields of a YAML mapping, each checked, with the line of what is wrong.
#pragma once

#include "core/enum_values.hpp"
#include "core/number_text.hpp"
#include "core/yaml_tree.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm {

/// The first thing wrong with what is being read; later ones follow from it more often than not.
struct YamlFailure {
  int line = 0;
  std::string reason;

  bool empty() const { return reason.empty(); }
  void note(int at, std::string why);
};

/// The fields of one mapping. One that is missing, repeated or not what is asked for is noted as a
/// failure and leaves the value alone; what nobody asked for stays in unread().
class YamlFields {
 public:
  /// `name` is the mapping's in messages. The arguments outlive this object.
  YamlFields(const YamlNode& map, std::string name, YamlFailure& failure);

  /// Whether there is one that nobody has asked for yet.
  bool has(std::string_view field) const;

  /// The value of a field that need not be there, or null.
  const YamlNode* find(std::string_view field);
  const YamlNode* require(std::string_view field);

  void text(std::string_view field, std::string& result);
  void flag(std::string_view field, bool& result);
  void exactly(std::string_view field, std::string_view allowed);

  /// A finite number >= 0.
  void amount(std::string_view field, double& result);

  template <class Integer>
  void integer(std::string_view field, Integer least, Integer& result) {
    const YamlNode* value = require(field);
    if (value == nullptr) return;
    Integer number = 0;
    if (parse_number(*value, number) && number >= least) {
      result = number;
    } else {
      refuse(field, *value, "an integer from " + std::to_string(least));
    }
  }

  template <class Enum, std::size_t count>
  void one_of(std::string_view field, const std::array<Enum, count>& values, Enum& result) {
    const YamlNode* value = require(field);
    if (value == nullptr) return;
    const bool scalar = value->kind == YamlNode::Kind::scalar;
    const std::optional<Enum> found = scalar ? find_by_name(values, value->text) : std::nullopt;
    if (found) {
      result = *found;
    } else {
      refuse(field, *value, "one of " + names_of(values));
    }
  }

  /// Notes that a field's value is wrong, and what it must be.
  void refuse(std::string_view field, const YamlNode& value, const std::string& allowed);

  const std::vector<const YamlNode*>& unread() const { return unread_; }

  /// Notes the first field that nobody asked for.
  void refuse_unread();

  /// Whether the whole of a scalar is a number of this type.
  template <class Number>
  static bool parse_number(const YamlNode& node, Number& number) {
    return node.kind == YamlNode::Kind::scalar && fastnorm::parse_number(node.text, number);
  }

 private:
  const YamlNode& map_;
  std::string name_;
  YamlFailure& failure_;
  std::vector<const YamlNode*> unread_;
};

}  // namespace fastnorm
