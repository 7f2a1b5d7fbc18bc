// SPDX-License-Identifier: Apache-2.0
/// What is verified and timed: one normalization, ready to be enqueued.
#pragma once

#include <fastnorm/plan.hpp>
#include <fastnorm/status.hpp>

#include <cstddef>
#include <functional>

namespace fastnorm::measure {

struct Call {
  /// Enqueues the work on the stream (host: does it). Must not allocate or synchronise, since on a
  /// device it is captured into a graph.
  std::function<Status(const NormArgs& args, void* workspace, Stream stream)> run;
  std::size_t workspace_bytes = 0;  ///< Provided by the workbench, with anything in it.
};

/// The plan's execution.
Call call_of(const Plan& plan);

}  // namespace fastnorm::measure
