// SPDX-License-Identifier: Apache-2.0
/// FASTNORM_API marks the symbols that the library exports; everything else is hidden.
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#define FASTNORM_API [[gnu::visibility("default")]]
#else
#define FASTNORM_API
#endif
