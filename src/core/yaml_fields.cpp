// SPDX-License-Identifier: Apache-2.0
#include "core/yaml_fields.hpp"

#include "core/quoted.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace fastnorm {
namespace {

/// The first whose name an earlier one has, or null.
const YamlNode* first_repeated(const std::vector<const YamlNode*>& members) {
  constexpr std::size_t few = 16;  // compared with each other, faster than put in order
  std::set<std::string_view> seen;
  for (auto member = members.begin(); member != members.end(); ++member) {
    const auto has_its_name = [&](const YamlNode* other) { return other->name == (*member)->name; };
    const bool repeated = members.size() <= few ? std::any_of(members.begin(), member, has_its_name)
                                                : !seen.insert((*member)->name).second;
    if (repeated) return *member;
  }
  return nullptr;
}

}  // namespace

void YamlFailure::note(int at, std::string why) {
  if (empty()) *this = {at, std::move(why)};
}

YamlFields::YamlFields(const YamlNode& map, std::string name, YamlFailure& failure)
    : map_(map), name_(std::move(name)), failure_(failure) {
  if (map.kind != YamlNode::Kind::map) {
    failure_.note(map.line, name_ + " is " + describe(map) + "; it must be a mapping");
    return;
  }
  for (const YamlNode& member : map.children()) unread_.push_back(&member);
  if (const YamlNode* repeated = first_repeated(unread_)) {
    failure_.note(repeated->name_line, name_ + " has " + in_quotes(repeated->name) + " twice");
  }
}

bool YamlFields::has(std::string_view field) const {
  return std::any_of(unread_.begin(), unread_.end(),
                     [&](const YamlNode* member) { return member->name == field; });
}

const YamlNode* YamlFields::find(std::string_view field) {
  const auto found = std::find_if(unread_.begin(), unread_.end(),
                                  [&](const YamlNode* member) { return member->name == field; });
  if (found == unread_.end()) return nullptr;
  const YamlNode* value = *found;
  unread_.erase(found);
  return value;
}

const YamlNode* YamlFields::require(std::string_view field) {
  const YamlNode* value = find(field);
  if (value == nullptr) failure_.note(map_.line, name_ + " has no " + in_quotes(field));
  return value;
}

void YamlFields::text(std::string_view field, std::string& result) {
  const YamlNode* value = require(field);
  if (value == nullptr) return;
  if (value->kind == YamlNode::Kind::scalar && !value->text.empty()) {
    result = value->text;
  } else {
    refuse(field, *value, "a text that is not empty");
  }
}

void YamlFields::flag(std::string_view field, bool& result) {
  const YamlNode* value = require(field);
  if (value == nullptr) return;
  const bool scalar = value->kind == YamlNode::Kind::scalar;
  if (scalar && (value->text == "true" || value->text == "false")) {
    result = value->text == "true";
  } else {
    refuse(field, *value, "true or false");
  }
}

void YamlFields::exactly(std::string_view field, std::string_view allowed) {
  const YamlNode* value = require(field);
  if (value == nullptr) return;
  if (value->kind != YamlNode::Kind::scalar || value->text != allowed) {
    refuse(field, *value, std::string(allowed));
  }
}

void YamlFields::amount(std::string_view field, double& result) {
  const YamlNode* value = require(field);
  if (value == nullptr) return;
  double number = 0;
  if (parse_number(*value, number) && std::isfinite(number) && number >= 0) {
    result = number;
  } else {
    refuse(field, *value, "a finite number from 0");
  }
}

void YamlFields::refuse(std::string_view field, const YamlNode& value, const std::string& allowed) {
  failure_.note(value.line, name_ + ": " + shortened(field) + " is " + describe(value) +
                                "; it must be " + allowed);
}

void YamlFields::refuse_unread() {
  if (unread_.empty()) return;
  const YamlNode& member = *unread_.front();
  failure_.note(member.name_line, name_ + " has an unknown field " + in_quotes(member.name));
}

}  // namespace fastnorm
