// SPDX-License-Identifier: Apache-2.0
/// Where a run gets its measurements from and leaves its winners: everything outside itself that it
/// depends on or changes. An interface, so that a journal can stand in between, and recorded
/// measurements in a device's place.
#pragma once

#include "core/tuning_db.hpp"
#include "tuner/evaluator.hpp"
#include "tuner/jobs.hpp"
#include "tuner/search_space.hpp"

#include <fastnorm/status.hpp>

#include <vector>

namespace fastnorm::tuner {

struct CaseStart {
  double copy_us = 0;            ///< The copy ceiling.
  std::vector<Contender> known;  ///< known_choices() of the database as it is now.
  double copy_mad_us = 0;        ///< How far the copy ceiling's samples scatter.
};

class TuningSite {
 public:
  virtual ~TuningSite() = default;

  /// Takes a case up; `job` has to stay until the next. Errors: out_of_memory, with what is needed
  /// and what is free; device_error; those of known_choices().
  virtual Result<CaseStart> begin(const Job& job) = 0;

  /// Of the case taken up last.
  virtual Evaluator& evaluator() = 0;

  /// Writes that case's winners to the database. Errors: those of merge_into_file().
  virtual Status store(const std::vector<TuningEntry>& winners) = 0;

  /// Writes the winners that it has stored before, where the database has lost them: a file may
  /// have been removed. Errors: as above.
  virtual Status restore(const std::vector<TuningEntry>& winners) = 0;

  /// Failure once the run cannot go on.
  virtual Status health() = 0;
};

}  // namespace fastnorm::tuner
