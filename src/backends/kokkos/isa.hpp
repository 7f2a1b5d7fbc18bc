// SPDX-License-Identifier: Apache-2.0
/// The instruction set that a source is compiled for, as a namespace.
///
/// The host's loops are compiled once for each instruction set that the library chooses among at
/// run time (host_loops.hpp). Of several functions of one name the linker keeps one, whatever that
/// was compiled for. So all that the loops are made of lies in this namespace, and what they share
/// with the rest of the back end is inlined by force.
#pragma once

#ifndef FASTNORM_ISA
#define FASTNORM_ISA any_cpu  ///< Every one that the build is for.
#endif
