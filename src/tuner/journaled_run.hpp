// SPDX-License-Identifier: Apache-2.0
/// A run over all its targets with its journal: one back end after the other, on devices that are
/// alike at the same time.
#pragma once

#include "core/dispatcher.hpp"
#include "measure/monitor.hpp"
#include "measure/space.hpp"
#include "tuner/device_site.hpp"
#include "tuner/jobs.hpp"
#include "tuner/journal.hpp"
#include "tuner/options.hpp"
#include "tuner/recorded_run.hpp"
#include "tuner/report.hpp"
#include "tuner/run_clock.hpp"
#include "tuner/target_run.hpp"
#include "tuner/worker.hpp"

#include <fastnorm/status.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fastnorm::tuner {

class JobQueue;
class Ledger;

/// Whether their measurements go into one file, and may stand for each other.
bool are_alike(const DeviceInfo& a, const DeviceInfo& b);

/// A target with what measures on it, and where its winners go.
struct Place {
  Candidate target;
  std::optional<int> gpu;  ///< Its number, where certain ones were chosen.
  std::filesystem::path file;
  std::unique_ptr<Worker> worker;
  std::unique_ptr<measure::Monitor> monitor;
  measure::Software software;  ///< Below the target's back end.
};

TuningSettings tuning_settings(const Options& options);

class JournaledRun {
 public:
  /// The references have to outlive the object.
  JournaledRun(const Options& options, const std::vector<Job>& jobs, Journal& journal,
               Report& report)
      : options_(options), jobs_(jobs), journal_(journal), report_(report) {}

  /// Ends early where the user interrupts it. A target's worker goes with the target. Places next
  /// to each other with one back end and devices that are alike share its cases. What one of these
  /// devices can go on no more, the others take over. Errors: those of TargetRun, where that is of
  /// the last such device, too, and a database that cannot be written, before anything is measured
  /// for it.
  Status run(std::vector<Place>& places);

  /// The devices that could not go on and did not end the run, each with the reason.
  const std::vector<std::string>& lost_devices() const noexcept { return lost_devices_; }

  /// Those that have a winner of this run.
  const std::vector<std::string>& files() const noexcept { return files_; }

 private:
  /// Places that share their cases: those from `first` on, `count` of them.
  struct Stage {
    std::size_t first;
    std::size_t count;
  };
  /// What became of one of them.
  struct Ended {
    RunClock clock;
    Status status;
  };

  DeviceSite site_at(const Place& place) const;
  static std::vector<Stage> stages_of(const std::vector<Place>& places);
  /// How many tunings share the budget: a job counts for each stage that supports it.
  std::size_t count_tunings(const std::vector<Place>& places,
                            const std::vector<Stage>& stages) const;
  Status run_stage(std::vector<Place>& places, const Stage& stage, const Ledger& ledger);
  void note(const Place& place, const std::vector<std::string>& notes);
  void run_at(Place& place, std::size_t number, JobQueue& queue, Ledger ledger, Ended& ended);
  Status conclude(const std::vector<Place>& places, const Stage& stage,
                  const std::vector<Ended>& ended);
  /// The cases that earlier sessions began there, in that order.
  std::vector<TuningNumber> begun_in(const Stage& stage) const;

  const Options& options_;
  const std::vector<Job>& jobs_;
  Journal& journal_;
  Report& report_;
  RunClock clock_;
  std::vector<std::string> files_;
  std::vector<std::string> lost_devices_;
};

}  // namespace fastnorm::tuner
