// SPDX-License-Identifier: Apache-2.0
#include "core/general_yaml.hpp"

#include "core/quoted.hpp"
#include "core/utf8.hpp"
#include "core/yaml_tree_builder.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <sstream>
#include <utility>

namespace fastnorm {
namespace {

Status invalid(const std::string& source, int line, const std::string& reason) {
  const std::string place = line > 0 ? source + ":" + std::to_string(line) : source;
  return Status(StatusCode::invalid_argument, place + ": " + reason);
}

/// Where `text` stops being text, if it does.
std::optional<std::size_t> first_binary_byte(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool control =
        (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
    const std::size_t length = control ? 0 : utf8_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

/// The parser's reasons may quote the text.
constexpr std::size_t longest_reason = 120;

int line_of(const YAML::Mark& mark) { return mark.line + 1; }

/// Builds the tree from the parser's events. The parser recurses as the text nests and can be
/// stopped by an exception only, so this throws the parser's own kind, before it would go too deep.
class EventReader final : public YAML::EventHandler {
 public:
  /// Of a text of so many bytes.
  explicit EventReader(std::size_t bytes) : builder_(bytes) {}

  YamlTree take() && { return std::move(builder_).take(); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse_as_key(mark);
    builder_.null(line_of(mark));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw YAML::ParserException(mark, "aliases are not allowed");
  }

  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& text) override {
    const std::string_view kept = builder_.keep(text);
    if (builder_.wants_key()) {
      builder_.key(kept, line_of(mark));
    } else {
      builder_.scalar(kept, line_of(mark));
    }
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, YamlNode::Kind::sequence);
  }
  void OnSequenceEnd() override { builder_.close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(mark, YamlNode::Kind::map);
  }
  void OnMapEnd() override { builder_.close(); }

 private:
  void refuse_as_key(const YAML::Mark& mark) const {
    // The parser also sees one where a mapping is not closed.
    if (!builder_.wants_key()) return;
    throw YAML::ParserException(mark, "a key must be a scalar, and every bracket closed");
  }

  void open(const YAML::Mark& mark, YamlNode::Kind kind) {
    refuse_as_key(mark);
    if (builder_.is_too_deep()) {
      throw YAML::ParserException(
          mark, "nested more than " + std::to_string(YamlTreeBuilder::max_depth) + " deep");
    }
    builder_.open(kind, line_of(mark));
  }

  YamlTreeBuilder builder_;
};

Result<YamlTree> parse(std::string_view text, const std::string& source) {
  if (const auto at = first_binary_byte(text)) {
    const auto newlines =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*at), '\n');
    return invalid(source, static_cast<int>(newlines) + 1, "not UTF-8 text");
  }
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  EventReader document(text.size());
  if (!parser.HandleNextDocument(document)) return invalid(source, 1, "empty");
  EventReader second(0);
  if (parser.HandleNextDocument(second)) {
    return invalid(source, std::move(second).take().root().line, "more than one document");
  }
  return std::move(document).take();
}

}  // namespace

Result<YamlTree> parse_general_yaml(std::string_view text, const std::string& source) {
  try {
    return parse(text, source);
  } catch (const YAML::Exception& error) {
    return invalid(source, line_of(error.mark),
                   "not valid YAML: " + shortened(error.msg, longest_reason));
  } catch (const std::bad_alloc&) {
    return Status(StatusCode::out_of_memory, source + ": too large to parse");
  } catch (const std::exception& error) {
    return invalid(source, 0, error.what());
  }
}

}  // namespace fastnorm
