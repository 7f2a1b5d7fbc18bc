// SPDX-License-Identifier: Apache-2.0
/// The version of these headers. C and C++.
#pragma once

#define FASTNORM_VERSION_MAJOR 0
#define FASTNORM_VERSION_MINOR 1
#define FASTNORM_VERSION_PATCH 0
