/// A YAML document as a plain tree with line numbers. Nothing of the YAML library survives in it:
/// its own nodes are changed by reading them, which no two threads may do.
#pragma once

#include <fastnorm/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fastnorm {

struct YamlMember;

struct YamlNode {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  int line = 0;                     ///< From 1.
  std::string text;                 ///< Of a scalar, without its quotes.
  std::vector<YamlNode> items;      ///< Of a sequence.
  std::vector<YamlMember> members;  ///< Of a map, in the text's order; a name may repeat.
};

struct YamlMember {
  std::string name;
  int line = 0;
  YamlNode value;
};

/// What a node is, for messages: the scalar in quotes, or "nothing", "a list", "a mapping".
std::string describe(const YamlNode& node);

/// Parses the one document of `text`; `source` is its name in messages ("source:line: reason").
/// Text that is empty, not UTF-8 or binary, aliases, keys that are no scalars and nesting beyond
/// what any of our formats needs are errors (invalid_argument).
Result<YamlNode> parse_yaml_tree(std::string_view text, const std::string& source);

}  // namespace fastnorm
