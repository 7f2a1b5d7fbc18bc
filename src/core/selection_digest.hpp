// SPDX-License-Identifier: Apache-2.0
/// What would be chosen for shapes, as lines of text and as their digest.
#pragma once

#include "core/dispatcher.hpp"
#include "core/problem.hpp"

#include <fastnorm/plan.hpp>
#include <fastnorm/selection_digest.hpp>
#include <fastnorm/status.hpp>

#include <string>
#include <vector>

namespace fastnorm {

/// Of what Plan::create would choose, or that it would find no strategy. Errors: its others.
Result<std::string> selection_line(const NormDesc& desc, const PlanOptions& options);

/// Problem, back end, strategy, configuration. Neither the device nor where the choice comes from
/// is in it.
std::string selection_line(const Problem& problem, const Selection& selection);

/// Of a problem that no strategy supports.
std::string refusal_line(const Problem& problem);

/// Sorted, and each line once: neither the order of the shapes nor their repetition is in the
/// digest.
std::vector<std::string> in_order(std::vector<std::string> lines);

/// The text whose SHA-256 the digest is: the versions of library and kernels, and the lines, which
/// are in order.
std::string digest_text(const std::vector<std::string>& lines);

}  // namespace fastnorm
