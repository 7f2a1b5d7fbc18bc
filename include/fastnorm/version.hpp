// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fastnorm/export.hpp>
#include <fastnorm/version.h>

namespace fastnorm {

/// The library's version as "major.minor.patch".
FASTNORM_API const char* version() noexcept;

}  // namespace fastnorm
