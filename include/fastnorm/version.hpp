#pragma once

#include <fastnorm/export.hpp>

#define FASTNORM_VERSION_MAJOR 0
#define FASTNORM_VERSION_MINOR 1
#define FASTNORM_VERSION_PATCH 0

namespace fastnorm {

/// The library's version as "major.minor.patch".
FASTNORM_API const char* version() noexcept;

}  // namespace fastnorm
