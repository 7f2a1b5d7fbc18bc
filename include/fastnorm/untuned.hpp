// SPDX-License-Identifier: Apache-2.0
/// The shapes that a program has met and that nobody has tuned.
#pragma once

#include <fastnorm/export.hpp>
#include <fastnorm/norm_desc.hpp>

#include <string>
#include <vector>

namespace fastnorm {

/// A shape that had no entry of its own in the tuning databases when a plan was made for it.
struct UntunedShape {
  NormDesc desc{};          ///< As the call that was the first to have it stated it.
  std::string backend{};    ///< What its plan runs on: "cuda", "kokkos-host", "kokkos-cuda".
  std::string served_by{};  ///< What chose instead: bucket | nearest | same_arch | heuristic.
  /// What autotune has to be told, an item of a list in YAML: "{name: ..., op: ..., ...}". It is
  /// the dense tensor whose entry would serve the call; whether there are gamma and beta, which a
  /// plan does not know, is left at the operation's default.
  std::string case_text{};
};

/// Those that this process has met, in the order in which it did: by Plan::create, and by the free
/// functions where they had no plan yet, so that a call that has one pays nothing. Each counts
/// once, however often it is met and whatever its strides, as long as a database would have one
/// entry for it. Not among them: plans that are forced, or by Tuning::heuristic; tensors without
/// elements, and those whose strides no dense tensor's entry would serve. After 4096 of them no
/// more are added. From any thread.
///
/// With FASTNORM_RECORD=FILE in the environment at the first call, the same are added to that file
/// as the cases that "autotune --cases FILE" reads. A new shape is in the file before the call that
/// met it returns; only from 64 shapes on, one in 64 may wait for the next ones or for the
/// process's exit. Other cases in the file stay as they are, and any number of processes may add to
/// one file at once: each reads it, adds and replaces it as a whole, under a lock beside it
/// (FILE.lock, which stays). A file that cannot be written costs one line in the log; the calls go
/// on.
FASTNORM_API std::vector<UntunedShape> untuned_shapes();

}  // namespace fastnorm
