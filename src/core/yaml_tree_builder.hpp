// SPDX-License-Identifier: Apache-2.0
/// Puts a YamlTree together in the order of the text.
#pragma once

#include "core/yaml_tree.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fastnorm {

class YamlTreeBuilder {
 public:
  /// Our formats nest five deep.
  static constexpr std::size_t max_depth = 16;

  /// For a text of so many bytes.
  explicit YamlTreeBuilder(std::size_t bytes) {
    constexpr std::size_t bytes_per_node = 12;  // of the densest files that we write
    tree_.nodes_.reserve(bytes / bytes_per_node + 1);
  }

  /// Whether a map is open that waits for its next key.
  bool wants_key() const noexcept { return !open_.empty() && open_.back().wants_key; }
  bool is_too_deep() const noexcept { return open_.size() == max_depth; }

  /// Views into the parsed text, or into what keep() gave.
  void key(std::string_view name, int line) {
    name_ = name;
    name_line_ = line;
    open_.back().wants_key = false;
  }
  void null(int line) { place(YamlNode::Kind::null, line); }
  void scalar(std::string_view text, int line) { place(YamlNode::Kind::scalar, line).text = text; }

  void open(YamlNode::Kind kind, int line) {
    place(kind, line);
    open_.push_back({tree_.nodes_.size() - 1, kind, kind == YamlNode::Kind::map});
  }
  void close() {
    const std::size_t node = open_.back().node;
    tree_.nodes_[node].descendants = static_cast<std::uint32_t>(tree_.nodes_.size() - node - 1);
    open_.pop_back();
  }

  std::string_view keep(std::string text) { return tree_.strings_.emplace_back(std::move(text)); }

  YamlTree take() && {
    if (tree_.nodes_.empty()) tree_.nodes_.emplace_back();
    return std::move(tree_);
  }

 private:
  struct Open {
    std::size_t node;
    YamlNode::Kind kind;
    bool wants_key;
  };

  YamlNode& place(YamlNode::Kind kind, int line) {
    YamlNode& node = tree_.nodes_.emplace_back();
    node.kind = kind;
    node.line = line;
    if (!open_.empty() && open_.back().kind == YamlNode::Kind::map) {
      node.name = name_;
      node.name_line = name_line_;
      open_.back().wants_key = true;
    }
    return node;
  }

  YamlTree tree_;
  std::vector<Open> open_;
  std::string_view name_;
  int name_line_ = 0;
};

}  // namespace fastnorm
