// SPDX-License-Identifier: Apache-2.0
#include "core/yaml_tree.hpp"

#include "core/general_yaml.hpp"
#include "core/plain_yaml.hpp"
#include "core/quoted.hpp"

#include <new>
#include <optional>
#include <utility>

namespace fastnorm {

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::scalar:
      return in_quotes(node.text);
    case YamlNode::Kind::sequence:
      return "a list";
    case YamlNode::Kind::map:
      return "a mapping";
  }
  return "unknown";
}

Result<YamlTree> parse_yaml_tree(std::string_view text, const std::string& source) {
  try {
    if (std::optional<YamlTree> tree = parse_plain_yaml(text)) return *std::move(tree);
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::out_of_memory, source + ": too large to parse");
  }
  return parse_general_yaml(text, source);
}

}  // namespace fastnorm
