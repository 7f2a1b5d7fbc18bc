// SPDX-License-Identifier: Apache-2.0
/// Ways to make a sound call wrong, at random. Some fail on some calls: what is right in the end is
/// not theirs to say.
#pragma once

#include "property_case.hpp"
#include "support/random.hpp"

namespace fastnorm::test {

/// In the descriptor.
void spoil_desc(PropertyCase& one, Draw& draw);

/// In the options.
void spoil_options(PropertyCase& one, Draw& draw);

/// In the pointers or the workspace. The descriptor and the tensors are settled by then.
void spoil_memory(PropertyCase& one, Draw& draw);

}  // namespace fastnorm::test
