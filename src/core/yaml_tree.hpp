// SPDX-License-Identifier: Apache-2.0
/// A YAML document as a plain tree with line numbers. Nothing of the YAML library survives in it:
/// its own nodes are changed by reading them, which no two threads may do.
#pragma once

#include <fastnorm/status.hpp>

#include <cstdint>
#include <deque>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fastnorm {

class YamlChildren;

/// A node of a YamlTree, and only there: what lies in it stands behind it.
struct YamlNode {
  enum class Kind : std::uint8_t { null, scalar, sequence, map };

  YamlNode() = default;
  YamlNode(YamlNode&&) = default;
  YamlNode& operator=(YamlNode&&) = default;

  /// A sequence's items, or a map's members in the text's order; a name may repeat.
  YamlChildren children() const;

  Kind kind = Kind::null;
  int line = 0;                   ///< From 1.
  int name_line = 0;              ///< Of its name.
  std::uint32_t descendants = 0;  ///< How many of the nodes behind it lie in it.
  std::string_view name;          ///< A map's member: its key, without quotes.
  std::string_view text;          ///< Of a scalar, without its quotes.
};

/// The nodes directly in a node.
class YamlChildren {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = YamlNode;
    using difference_type = std::ptrdiff_t;
    using pointer = const YamlNode*;
    using reference = const YamlNode&;

    explicit Iterator(const YamlNode* node) noexcept : node_(node) {}
    reference operator*() const noexcept { return *node_; }
    pointer operator->() const noexcept { return node_; }
    Iterator& operator++() noexcept {
      node_ += 1 + node_->descendants;
      return *this;
    }
    Iterator operator++(int) noexcept {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(Iterator a, Iterator b) noexcept { return a.node_ == b.node_; }
    friend bool operator!=(Iterator a, Iterator b) noexcept { return a.node_ != b.node_; }

   private:
    const YamlNode* node_;
  };

  explicit YamlChildren(const YamlNode& node) noexcept
      : first_(&node + 1), last_(first_ + node.descendants) {}

  Iterator begin() const noexcept { return Iterator(first_); }
  Iterator end() const noexcept { return Iterator(last_); }
  bool empty() const noexcept { return first_ == last_; }
  /// Counted each time.
  std::size_t size() const { return static_cast<std::size_t>(std::distance(begin(), end())); }

 private:
  const YamlNode* first_;
  const YamlNode* last_;
};

inline YamlChildren YamlNode::children() const { return YamlChildren(*this); }

/// In one piece: a large file has hundreds of thousands of nodes.
class YamlTree {
 public:
  const YamlNode& root() const noexcept { return nodes_.front(); }

 private:
  friend class YamlTreeBuilder;
  std::vector<YamlNode> nodes_;      ///< In the text's order.
  std::deque<std::string> strings_;  ///< What the text does not hold as it is meant.
};

/// What a node is, for messages: the scalar in quotes (see in_quotes()), or "nothing", "a list", "a
/// mapping".
std::string describe(const YamlNode& node);

/// Parses the one document of `text`, which outlives the tree; `source` is its name in messages
/// ("source:line: reason"). Text that is empty, not UTF-8 or binary, aliases, keys that are no
/// scalars and nesting beyond what any of our formats needs are errors (invalid_argument).
Result<YamlTree> parse_yaml_tree(std::string_view text, const std::string& source);

}  // namespace fastnorm
