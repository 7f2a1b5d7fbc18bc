// SPDX-License-Identifier: Apache-2.0
/// Any YAML, read by the YAML library. The only header of the reading side whose implementation
/// knows yaml-cpp.
#pragma once

#include "core/yaml_tree.hpp"

#include <fastnorm/status.hpp>

#include <string>
#include <string_view>

namespace fastnorm {

/// As parse_yaml_tree(), for every text.
Result<YamlTree> parse_general_yaml(std::string_view text, const std::string& source);

}  // namespace fastnorm
