// SPDX-License-Identifier: Apache-2.0
/// The text of cases/workloads.yaml, compiled in.
#pragma once

#include <string_view>

namespace fastnorm::measure {

std::string_view shipped_cases_text();

}  // namespace fastnorm::measure
