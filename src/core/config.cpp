#include "core/config.hpp"

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
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view piece = text.substr(0, comma);
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == piece.size()) {
      return Status(StatusCode::invalid_argument,
                    "config piece \"" + std::string(piece) + "\" is not of the form name=value");
    }
    fields.push_back({std::string(piece.substr(0, equals)), std::string(piece.substr(equals + 1))});
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return fields;
}

}  // namespace fastnorm
