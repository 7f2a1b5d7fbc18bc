// SPDX-License-Identifier: Apache-2.0
#include "core/config.hpp"

#include "core/quoted.hpp"

#include <algorithm>

namespace fastnorm {

std::string to_string(const ConfigFields& fields) {
  std::string text;
  for (const ConfigField& field : fields) {
    if (!text.empty()) text += ',';
    text += field.name + '=' + field.value;
  }
  return text;
}

Result<ConfigFields> parse_config_text(std::string_view text) {
  ConfigFields fields;
  if (text.empty()) return fields;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view piece = text.substr(begin, end - begin);
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == piece.size()) {
      return Status(StatusCode::invalid_argument,
                    "config piece " + in_quotes(piece) + " is not of the form name=value");
    }
    fields.push_back({std::string(piece.substr(0, equals)), std::string(piece.substr(equals + 1))});
    begin = end + 1;
  }
  return fields;
}

std::string config_detail::wrong_names(const ConfigFields& fields,
                                       const std::vector<std::string_view>& known) {
  const auto wrong = [&](std::string_view name, const char* how) {
    std::string text = "config field " + shortened(name) + how + " in " +
                       in_quotes(to_string(fields), longest_name) + "; the strategy's fields are ";
    for (const std::string_view one : known) {
      text += (one == known.front() ? "" : ", ") + std::string(one);
    }
    return text;
  };
  for (const ConfigField& field : fields) {
    if (std::find(known.begin(), known.end(), field.name) == known.end()) {
      return wrong(field.name, " is unknown");
    }
  }
  for (const std::string_view name : known) {
    const auto count = std::count_if(fields.begin(), fields.end(),
                                     [name](const ConfigField& one) { return one.name == name; });
    if (count != 1) return wrong(name, count == 0 ? " is missing" : " is repeated");
  }
  return {};
}

}  // namespace fastnorm
