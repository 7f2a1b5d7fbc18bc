// SPDX-License-Identifier: Apache-2.0
#include "core/plain_yaml.hpp"

#include "core/yaml_tree_builder.hpp"

#include <array>
#include <cstddef>

namespace fastnorm {
namespace {

/// What a character may be part of.
enum CharClass : unsigned char {
  printable = 1,    ///< A comment, a quoted scalar (but for its quotes and escapes).
  plain = 2,        ///< A scalar without quotes, from its second character on.
  plain_start = 4,  ///< Its first.
  key = 8,          ///< A key, from its second character on.
  key_start = 16,   ///< Its first.
};

constexpr std::array<unsigned char, 256> make_classes() {
  std::array<unsigned char, 256> classes = {};
  for (unsigned c = ' '; c <= '~'; ++c) classes[c] = printable;
  const auto add = [&classes](std::string_view characters, unsigned more) {
    for (const char c : characters) {
      unsigned char& known = classes[static_cast<unsigned char>(c)];
      known = static_cast<unsigned char>(known | more);
    }
  };
  add("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_",
      plain | plain_start | key | key_start);
  add("0123456789", plain | plain_start | key);
  add(".", plain | plain_start | key);
  add("-", plain | key);
  add("+/()", plain | plain_start);
  add(" ", plain);
  return classes;
}
constexpr std::array<unsigned char, 256> classes = make_classes();

bool is(char c, CharClass wanted) { return (classes[static_cast<unsigned char>(c)] & wanted) != 0; }

/// What YAML reads as nothing.
bool is_null_word(std::string_view text) {
  return text == "null" || text == "Null" || text == "NULL";
}

/// Each function reads a piece from the place reached and returns false where the text is not
/// plain, upon which the whole attempt ends.
class PlainParser {
 public:
  explicit PlainParser(std::string_view text) : text_(text), builder_(text.size()) {}

  std::optional<YamlTree> parse() {
    constexpr int outermost = 0;
    const bool read = next_line() && indent_ == outermost && block(outermost) && at_end();
    if (!read) return std::nullopt;
    return std::move(builder_).take();
  }

 private:
  static constexpr int behind_the_text = -1;
  /// YAML has a limit of 1024.
  static constexpr std::size_t longest_key = 256;

  bool at_end() const { return at_ == text_.size(); }
  /// The character at the place reached; a line's end stands for the text's, too.
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n';
  }
  void skip_spaces() {
    while (peek() == ' ') ++at_;
  }

  /// From a line's end to the first character of the next line with content; indent_ says how far
  /// to the right that is.
  bool next_line() {
    for (;;) {
      const std::size_t start = at_;
      skip_spaces();
      if (at_end()) {
        indent_ = behind_the_text;
        return true;
      }
      if (peek() == '#') {
        while (is(peek(), printable)) ++at_;
        if (peek() != '\n') return false;
      } else if (peek() != '\n') {
        indent_ = static_cast<int>(at_ - start);
        return true;
      }
      end_line();
    }
  }

  void end_line() {
    if (at_end()) return;
    ++at_;
    ++line_;
  }

  /// Nothing but spaces up to the line's end, and on to the next line.
  bool finish_line() {
    skip_spaces();
    if (peek() != '\n') return false;
    end_line();
    return next_line();
  }

  bool open(YamlNode::Kind kind) {
    if (builder_.is_too_deep()) return false;
    builder_.open(kind, line_);
    return true;
  }

  bool block(int indent) { return peek() == '-' ? block_sequence(indent) : block_map(indent); }

  bool block_sequence(int indent) {
    if (!open(YamlNode::Kind::sequence)) return false;
    do {
      if (peek() != '-' || peek(1) != ' ') return false;
      constexpr int width = 2;  // "- "
      at_ += width;
      const bool read =
          is_flow() ? flow() && finish_line() : is(peek(), key_start) && block_map(indent + width);
      if (!read) return false;
    } while (indent_ == indent);
    builder_.close();
    return indent_ < indent;
  }

  bool block_map(int indent) {
    if (!open(YamlNode::Kind::map)) return false;
    do {
      if (!read_key()) return false;
      if (peek() == ' ') {
        ++at_;
        if (!(is_flow() ? flow() : scalar("")) || !finish_line()) return false;
      } else {
        if (!finish_line() || indent_ <= indent || !block(indent_)) return false;
      }
    } while (indent_ == indent);
    builder_.close();
    return indent_ < indent;
  }

  /// "name:" before a space or the line's end.
  bool read_key() {
    const std::size_t start = at_;
    if (!is(peek(), key_start)) return false;
    while (is(peek(), key)) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    if (peek() != ':' || (peek(1) != ' ' && peek(1) != '\n')) return false;
    ++at_;
    if (name.size() > longest_key || is_null_word(name)) return false;
    builder_.key(name, line_);
    return true;
  }

  bool is_flow() const { return peek() == '{' || peek() == '['; }

  /// A mapping or a sequence within the line.
  bool flow() {
    const bool map = peek() == '{';
    const char end = map ? '}' : ']';
    if (!open(map ? YamlNode::Kind::map : YamlNode::Kind::sequence)) return false;
    ++at_;
    const bool read = peek() == end || (map ? flow_items<true>() : flow_items<false>());
    if (!read || peek() != end) return false;
    ++at_;
    builder_.close();
    return true;
  }

  /// What lies in it, up to its end.
  template <bool named>
  bool flow_items() {
    for (;;) {
      skip_spaces();
      if (named && !read_key()) return false;
      skip_spaces();
      if (!(is_flow() ? flow() : scalar(",]}"))) return false;
      skip_spaces();
      if (peek() != ',') return true;
      ++at_;
    }
  }

  /// Up to one of `ends` or the line's end.
  bool scalar(std::string_view ends) {
    const char quote = peek();
    if (quote == '"' || quote == '\'') return quoted(quote);
    const bool negative = quote == '-' && is(peek(1), plain_start);
    if (!negative && !is(quote, plain_start)) return false;
    const std::size_t start = at_;
    while (is(peek(), plain)) ++at_;
    if (peek() != '\n' && ends.find(peek()) == std::string_view::npos) return false;
    std::string_view value = text_.substr(start, at_ - start);
    value.remove_suffix(value.size() - 1 - value.find_last_not_of(' '));
    if (is_null_word(value)) return false;
    builder_.scalar(value, line_);
    return true;
  }

  bool quoted(char quote) {
    const std::size_t start = ++at_;
    while (is(peek(), printable) && peek() != quote && peek() != '\\') ++at_;
    if (peek() != quote) return false;
    builder_.scalar(text_.substr(start, at_ - start), line_);
    ++at_;
    // Twice: a quote within the scalar.
    return peek() != quote;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int indent_ = 0;
  YamlTreeBuilder builder_;
};

}  // namespace

std::optional<YamlTree> parse_plain_yaml(std::string_view text) {
  return PlainParser(text).parse();
}

}  // namespace fastnorm
