/// What a Plan holds.
#pragma once

#include "core/backend.hpp"
#include "core/dispatcher.hpp"
#include "core/problem.hpp"

#include <fastnorm/plan.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace fastnorm {

struct Plan::Impl {
  Problem problem;
  Selection selection;
  std::string backend_name;
  std::string strategy_name;
  std::string config_text;
  std::unique_ptr<const Executable> primary;  ///< Null for an empty problem.
  std::unique_ptr<const Executable>
      fallback;  ///< For pointers that primary does not accept; may be null.
  std::size_t workspace_bytes = 0;

  /// Plan::execute for arguments that have passed check_arguments().
  Status launch(const NormArgs& args, void* workspace, std::size_t bytes, Stream stream) const;
};

/// All back ends of this memory space whose device can be had; the preferred one first.
/// Errors: unavailable, with the reason of each back end that refused.
Result<std::vector<Candidate>> candidates_for(MemorySpace memory, int device);

}  // namespace fastnorm
