// SPDX-License-Identifier: Apache-2.0
/// Measures subjects of one memory space, one case after the other, in the same buffers.
#pragma once

#include "measure/workbench.hpp"
#include "subjects.hpp"

#include <fastnorm/status.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace fastnorm::bench {

struct Measurement {
  double us = 0;           ///< Median of the repetitions' medians.
  double spread = 0;       ///< (largest - smallest) / median of the repetitions' medians.
  double copy_us = 0;      ///< The copy ceiling for as many bytes, in this run.
  std::int64_t bytes = 0;  ///< Of x, y and a residual together: what has to move at least.
  std::string plan;        ///< Plan::describe().
};

class Session {
 public:
  Session(const DeviceInfo& device, std::unique_ptr<measure::Workbench> workbench)
      : device_(&device), workbench_(std::move(workbench)) {}

  const DeviceInfo& device() const noexcept { return *device_; }
  measure::Software software() const { return workbench_->software(); }

  /// Fills the buffers for the subject's case, if they do not hold it already.
  /// Errors: out_of_memory if the case does not fit here, else those of Workbench::load.
  Status load(const Subject& subject);

  /// Verifies the subject against the reference and then times it.
  /// Errors: those of planning and running it; device_error for a wrong result, with the worst
  /// element.
  Result<Measurement> measure(const Subject& subject);

  /// Bytes of x in the loaded case; 0 before load().
  std::int64_t tensor_bytes() const noexcept { return tensor_bytes_; }

  /// Copy speed in GB/s, read and written bytes together, for as many as the loaded case moves.
  Result<double> copy_gb_s();

 private:
  const DeviceInfo* device_;
  std::unique_ptr<measure::Workbench> workbench_;
  std::string loaded_;  ///< Name of the case.
  std::int64_t tensor_bytes_ = 0;
  std::int64_t moved_bytes_ = 0;
};

/// One for each memory space: back ends that share a device share its buffers.
using Sessions = std::map<MemorySpace, Session>;

Result<Sessions> open_sessions(const std::vector<Candidate>& targets);

/// Loads the session's largest case that fits, so that the buffers are allocated once, and moves
/// those that do not fit to the skipped ones.
Status load_largest(MemorySpace memory, Session& session, SubjectList& list);

}  // namespace fastnorm::bench
