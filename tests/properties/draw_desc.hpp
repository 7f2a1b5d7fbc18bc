// SPDX-License-Identifier: Apache-2.0
/// Descriptors at random.
#pragma once

#include "support/random.hpp"

#include <fastnorm/norm_desc.hpp>

namespace fastnorm::test {

/// In which nothing is wrong, though strides may be such as no form is offered for. Of up to some
/// 100,000 elements, mostly far fewer; now and then of none.
NormDesc draw_desc(Draw& draw);

/// The same over dense tensors of up to 2^59 elements.
NormDesc draw_enormous_desc(Draw& draw);

}  // namespace fastnorm::test
