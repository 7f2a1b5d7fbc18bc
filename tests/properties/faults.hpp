// SPDX-License-Identifier: Apache-2.0
/// What is wrong with a call, from the documentation alone: the other side of every comparison with
/// what the library says.
#pragma once

#include "property_case.hpp"

#include <fastnorm/norm_desc.hpp>
#include <fastnorm/status.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace fastnorm::test {

/// One thing that is wrong. Who refuses the call for it has to say this code, and these words.
struct Fault {
  StatusCode code;
  std::vector<std::string> words;
};

/// A call may be wrong in several ways; which of them is found first is nobody's business.
using Faults = std::vector<Fault>;

/// What the descriptor's arguments have wrong.
Faults faults_of_arguments(const NormDesc& desc);

/// Whether the rows of a sound descriptor have one of the forms that NormDesc's strides offer.
bool has_form(const NormDesc& desc);

/// What the options have wrong for any descriptor.
Faults faults_of_options(const PlanOptions& options);

/// Why a strategy that the options force does not run a sound descriptor.
Faults faults_of_forced(const NormDesc& desc, const PlanOptions& options);

/// What is wrong with the tensors of a sound descriptor.
Faults faults_of_pointers(const NormDesc& desc, const NormArgs& args);

/// Where the workspace of a case begins that meets a tensor, on a boundary of a workspace: of a
/// plan that needs so many bytes.
void* place_of_workspace(const PropertyCase& one, const NormArgs& args, std::size_t needed);

/// With a plan's workspace, of which it needs so many bytes, where the tensors are sound.
Faults faults_of_workspace(const PropertyCase& one, const NormArgs& args, std::size_t needed);

/// Whether no element is there to be normalised.
bool is_empty(const NormDesc& desc);

}  // namespace fastnorm::test
