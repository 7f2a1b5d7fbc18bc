// SPDX-License-Identifier: Apache-2.0
/// Two configurations of a tuned shape, side by side on this device.
#pragma once

#include "core/dispatcher.hpp"
#include "core/tuning_db.hpp"
#include "tuner/json_writer.hpp"

#include <fastnorm/status.hpp>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace fastnorm::bench {

/// Configurations as Contender::text() has them.
struct Pair {
  TuningEntry entry;  ///< Whose shape it is.
  std::string first;
  std::string second;
};

/// The files' entries for the back end that were measured on this device, or one like it, with
/// those files.
std::vector<TuningFile> files_for(const std::filesystem::path& database, const Candidate& target);

/// An entry's own configuration.
std::string text_of(const TuningEntry& entry);

/// Writes which version of the library measures, times pairs and writes them as an array of JSON
/// objects: each shape is loaded once, and the two configurations are verified and then timed by
/// turns, each round in another random order, so that a drift of the clock meets both.
class SideBySide {
 public:
  /// Names the program in messages of failures, which go to standard error.
  SideBySide(std::string program, tuner::JsonWriter& json);

  /// Errors: those of making a workbench. A pair that cannot be timed is a message.
  Status run(const Candidate& target, const std::vector<Pair>& pairs);

  bool empty() const noexcept { return ratios_.empty(); }
  int failed() const noexcept { return failed_; }

  /// Ends the array, and writes the means of the first ones' times over the second ones'.
  void conclude();

 private:
  void note(const Pair& pair, const std::array<double, 2>& us);

  std::string program_;
  tuner::JsonWriter& json_;
  std::vector<double> ratios_;
  int failed_ = 0;
};

}  // namespace fastnorm::bench
