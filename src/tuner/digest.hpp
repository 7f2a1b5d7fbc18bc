/// What would be chosen for a list of shapes, as lines of text and as their digest.
#pragma once

#include "core/dispatcher.hpp"
#include "core/problem.hpp"

#include <string>
#include <vector>

namespace fastnorm::tuner {

/// The line of a problem on the selection's back end: problem, back end, strategy, configuration.
/// Neither the device nor where the choice comes from is in it.
std::string selection_line(const Problem& problem, const Selection& selection);

/// The line of a problem that no strategy supports.
std::string refusal_line(const Problem& problem, MemorySpace memory);

/// Sorted, and each line once: neither the order of the cases nor their names are in the digest.
std::vector<std::string> in_order(std::vector<std::string> lines);

/// The text whose digest it is: the versions of library and kernels, and the lines.
std::string digest_text(const std::vector<std::string>& lines);

}  // namespace fastnorm::tuner
