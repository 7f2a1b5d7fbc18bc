#include "core/config.hpp"

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
                    "config piece \"" + std::string(piece) + "\" is not of the form name=value");
    }
    fields.push_back({std::string(piece.substr(0, equals)), std::string(piece.substr(equals + 1))});
    begin = end + 1;
  }
  return fields;
}

}  // namespace fastnorm
