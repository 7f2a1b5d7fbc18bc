// SPDX-License-Identifier: Apache-2.0
/// One random call: what it asks for, how, and what is wrong with it.
#pragma once

#include "call_tensors.hpp"
#include "core/backend.hpp"
#include "support/trial.hpp"

#include <fastnorm/norm.hpp>
#include <fastnorm/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fastnorm::test {

/// How the call is made.
enum class Way {
  plan,           ///< Plan::create and Plan::execute.
  free_function,  ///< normalize().
  plan_alone,     ///< Plan::create: for tensors that no machine has the memory for.
};

/// What a plan is given to work with.
enum class Workspace {
  sound,
  null,
  too_small,
  misaligned,
  begins_with_a_tensor,
  begins_at_a_tensors_end,
  ends_in_a_tensor,
};

bool meets_a_tensor(Workspace workspace);

/// A pointer becomes null, or leads so many bytes beyond that of a tensor.
struct PointerChange {
  TensorName tensor = TensorName::x;
  std::optional<TensorName> onto{};
  std::ptrdiff_t bytes = 0;
};

struct PropertyCase {
  std::uint64_t number = 0;
  NormDesc desc{};
  PlanOptions options{};
  Way way = Way::plan;
  Workspace workspace = Workspace::sound;
  TensorName under_workspace = TensorName::x;  ///< The tensor that it meets, if it is to.
  /// Of the descriptor, or, where there are no tensors of that, of the one from before it was
  /// spoilt.
  TrialSetup tensors{};
  /// Only ever for the worse: what turns out to do no harm is not done.
  std::vector<PointerChange> pointers{};
  std::vector<std::string> spoilt{};  ///< What was changed to make it wrong, which may have failed.
};

/// A strategy of a back end under test, on its device.
struct Strategy {
  const Backend* backend = nullptr;
  const KernelVariant* variant = nullptr;
  const DeviceInfo* device = nullptr;

  std::string name() const {
    return std::string(backend->name()) + " " + std::string(variant->name());
  }
};
std::vector<Strategy> target_strategies();

/// All of it, for a failure.
std::string describe(const PropertyCase& one);

/// The shell's command that runs this case alone.
std::string replay_command(std::uint64_t number);

}  // namespace fastnorm::test
