// SPDX-License-Identifier: Apache-2.0
#include "core/case_file.hpp"

#include "core/file_io.hpp"
#include "core/locked_target.hpp"
#include "core/yaml_tree.hpp"

#include <fastnorm/version.hpp>

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace fastnorm {
namespace {

/// The names of the cases in a file's text; a case without one has an empty one.
Result<std::vector<std::string>> names_in(const std::string& text, const std::string& source) {
  const Result<YamlTree> tree = parse_yaml_tree(text, source);
  if (!tree.ok()) return tree.status();
  const YamlNode& root = tree.value().root();
  const auto no_list = [&source](const std::string& what) {
    return Status(StatusCode::invalid_argument, source + ": " + what + ", not a list of cases");
  };
  if (root.kind != YamlNode::Kind::sequence) return no_list("it is " + describe(root));
  std::vector<std::string> names;
  for (const YamlNode& one : root.children()) {
    if (one.kind != YamlNode::Kind::map) return no_list("it is a list with " + describe(one));
    std::string& name = names.emplace_back();
    for (const YamlNode& member : one.children()) {
      if (member.name == "name") name = member.text;
    }
  }
  return names;
}

std::string heading() {
  return std::string(
             "# Shapes without an entry of their own in the tuning databases, met by a "
             "program with fastnorm ") +
         version() + ".\n# \"autotune --cases FILE\" tunes them.\n";
}

/// The text with the cases appended that it does not have; the same text if it has them all.
Result<std::string> with_cases(std::string text, const std::vector<CaseText>& cases,
                               const std::string& source) {
  std::set<std::string> known;
  std::size_t count = 0;
  if (text.empty()) {
    text = heading();
  } else {
    Result<std::vector<std::string>> names = names_in(text, source);
    if (!names.ok()) return names.status();
    count = names.value().size();
    known.insert(names.value().begin(), names.value().end());
  }
  if (text.back() != '\n') text += '\n';
  for (const CaseText& one : cases) {
    if (!known.insert(one.name).second) continue;
    text += "- " + one.yaml + "\n";
    ++count;
  }
  // A list in another style than ours does not go on with our lines.
  const Result<std::vector<std::string>> names = names_in(text, source);
  if (!names.ok() || names.value().size() != count) {
    return Status(StatusCode::invalid_argument,
                  source +
                      ": nothing can be added to its list; it must be one with a line \"- "
                      "{...}\" a case, from the first column on");
  }
  return text;
}

}  // namespace

Status add_to_case_file(const std::filesystem::path& path, const std::vector<CaseText>& cases) {
  const Result<LockedTarget> target = lock_target(path);
  if (!target.ok()) return target.status();
  Result<std::optional<std::string>> found = read_file(target.value().path, max_case_file_bytes);
  if (!found.ok()) return found.status();
  const std::string before = std::move(found).value().value_or("");
  Result<std::string> text = with_cases(before, cases, path.string());
  if (!text.ok()) return text.status();
  if (text.value() == before) return {};
  if (text.value().size() > max_case_file_bytes) {
    return Status(StatusCode::invalid_argument, path.string() + ": it would grow beyond " +
                                                    std::to_string(max_case_file_bytes >> 20U) +
                                                    " MiB, which is more than the tools read");
  }
  return replace_file(target.value().path, text.value());
}

}  // namespace fastnorm
