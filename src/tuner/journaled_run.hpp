/// A run over all its targets, one after the other, with its journal.
#pragma once

#include "core/dispatcher.hpp"
#include "measure/space.hpp"
#include "tuner/device_site.hpp"
#include "tuner/jobs.hpp"
#include "tuner/journal.hpp"
#include "tuner/options.hpp"
#include "tuner/recorded_run.hpp"
#include "tuner/report.hpp"
#include "tuner/run_clock.hpp"
#include "tuner/worker.hpp"

#include <fastnorm/status.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace fastnorm::tuner {

class Ledger;

/// A target with what measures on it, and where its winners go.
struct Place {
  Candidate target;
  std::filesystem::path file;
  std::unique_ptr<Worker> worker;
  measure::Software software;  ///< Below the target's back end.
};

class JournaledRun {
 public:
  /// The references have to outlive the object.
  JournaledRun(const Options& options, const std::vector<Job>& jobs, Journal& journal,
               Report& report)
      : options_(options),
        jobs_(jobs),
        journal_(journal),
        recorded_(recorded_run(journal.records())),
        report_(report) {}

  /// Ends early where the user interrupts it. A target's worker goes with the target.
  /// Errors: those of TargetRun, and a database that cannot be written, before anything is measured
  /// for it.
  Status run(std::vector<Place>& places);

  /// Those that have a winner of this run.
  const std::vector<std::string>& files() const noexcept { return files_; }

 private:
  DeviceSite site_at(const Place& place) const;
  Status run_at(const Place& place, std::size_t number, Ledger& ledger);

  const Options& options_;
  const std::vector<Job>& jobs_;
  Journal& journal_;
  RecordedRun recorded_;
  Report& report_;
  RunClock clock_;
  std::vector<std::string> files_;
};

}  // namespace fastnorm::tuner
