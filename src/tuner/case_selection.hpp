// SPDX-License-Identifier: Apache-2.0
/// Which cases a run is for.
#pragma once

#include "measure/cases.hpp"
#include "tuner/options.hpp"

#include <fastnorm/status.hpp>

#include <string>
#include <vector>

namespace fastnorm::tuner {

/// The file's cases, or the shipped ones. Errors: those of the loader.
Result<std::vector<measure::Case>> load_case_file(const Options& options);

/// Of `cases` those that are named and have the op and the dtype, or the shape instead; not empty.
/// Errors: invalid_argument (an unknown name, options that leave nothing).
Result<std::vector<measure::Case>> select_cases(std::vector<measure::Case> cases,
                                                const Options& options);

/// The case of this name. Errors: invalid_argument, with the names that are nearest to it.
Result<measure::Case> find_case(const std::vector<measure::Case>& cases, const std::string& name);

}  // namespace fastnorm::tuner
