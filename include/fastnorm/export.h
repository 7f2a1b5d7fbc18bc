// SPDX-License-Identifier: Apache-2.0
/// FASTNORM_API in C, which spells attributes otherwise; in C++ it is that of export.hpp.
#pragma once

#if defined(__cplusplus)
#include <fastnorm/export.hpp>
#elif defined(__GNUC__) || defined(__clang__)
#define FASTNORM_API __attribute__((visibility("default")))
#else
#define FASTNORM_API
#endif
