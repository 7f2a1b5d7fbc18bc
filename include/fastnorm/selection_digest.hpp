// SPDX-License-Identifier: Apache-2.0
/// Whether the processes of a program choose alike.
#pragma once

#include <fastnorm/export.hpp>
#include <fastnorm/norm_desc.hpp>
#include <fastnorm/plan.hpp>
#include <fastnorm/status.hpp>

#include <string>
#include <vector>

namespace fastnorm {

/// A digest of what the library would run for these shapes: 64 hexadecimal digits. Ranks of a
/// program that get the same one choose alike, and so give the same bits where their strategies
/// repeat them. In it are the versions of library and kernels, each shape, and the back end,
/// strategy and configuration of its plan, or that there is none; neither the device nor where the
/// choice comes from, nor the order or repetition of the shapes. It is what "autotune digest"
/// prints for the same shapes (those of its cases, with PlanOptions as they are by default), whose
/// --lines shows where two ranks differ.
///
/// Each shape costs what Plan::create does, kernels are loaded. Shapes asked for here have not been
/// met as untuned_shapes() means it. Errors: those of Plan::create but for shapes that no strategy
/// supports, with the place of the shape in the list.
FASTNORM_API Result<std::string> selection_digest(const std::vector<NormDesc>& shapes,
                                                  const PlanOptions& options = {});

}  // namespace fastnorm
