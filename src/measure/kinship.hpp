// SPDX-License-Identifier: Apache-2.0
/// Which processes belong to this one.
#pragma once

#include <string>

namespace fastnorm::measure {

enum class Kinship {
  own,      ///< This process, or one that it or a descendant of it has started.
  other,    ///< Another one.
  unknown,  ///< There is none of that number in sight: it has ended, or is outside the container.
};

Kinship kinship_of(int process);

/// The command's name, "python3"; empty where it is unknown.
std::string process_name(int process);

}  // namespace fastnorm::measure
