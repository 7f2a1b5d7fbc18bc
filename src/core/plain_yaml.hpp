// SPDX-License-Identifier: Apache-2.0
/// The plain part of YAML that our own files are written in, read at once.
#pragma once

#include "core/yaml_tree.hpp"

#include <optional>
#include <string_view>

namespace fastnorm {

/// The tree of a text that has nothing in it but block mappings and sequences, flow ones within a
/// line, comments on lines of their own, and scalars of a line that need no interpretation, all in
/// printable ASCII. Nothing for any other text, right or wrong: that is for the YAML library, which
/// would give the same tree here, and takes some thirty times as long.
std::optional<YamlTree> parse_plain_yaml(std::string_view text);

}  // namespace fastnorm
