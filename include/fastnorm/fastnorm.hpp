// SPDX-License-Identifier: Apache-2.0
/// The whole C++ interface. Threads may call anything at the same time, as long as none destroys
/// what another one uses, those of an OpenMP region included; what a child of fork() may do is said
/// in fastnorm.h.
#pragma once

#include <fastnorm/backend_info.hpp>
#include <fastnorm/norm.hpp>
#include <fastnorm/norm_desc.hpp>
#include <fastnorm/plan.hpp>
#include <fastnorm/selection_digest.hpp>
#include <fastnorm/status.hpp>
#include <fastnorm/types.hpp>
#include <fastnorm/untuned.hpp>
#include <fastnorm/version.hpp>
