// SPDX-License-Identifier: Apache-2.0
/// What a run has measured, in a file from which searches can be repeated without a device.
///
///     fastnorm recording 1<newline>
///     case<tab>NAME<tab>PROBLEM<tab>BACKEND<tab>DEVICE<tab>COPY_US<tab>PROPOSED<tab>DEFAULT<tab>
///         DETERMINISTIC_DEFAULT<newline>
///     CONTENDER<tab>ESTIMATE_US<tab>FAILURE<tab>SAMPLE_US<tab>...<newline>
///
/// After a case's line, one for each contender that was tried, in the order of the search space;
/// FAILURE is empty where it went right, and there are no samples where it was not timed. Times are
/// rounded to the nanosecond.
#pragma once

#include "core/dispatcher.hpp"
#include "tuner/jobs.hpp"
#include "tuner/journal_record.hpp"
#include "tuner/search_space.hpp"

#include <fastnorm/status.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fastnorm::tuner {

/// Of one contender.
struct RecordedTrial {
  std::string failure;  ///< The reason; empty where its results were right.
  std::vector<double> samples_us;
};

/// A case on a target.
struct RecordedSearch {
  std::string name;
  std::string problem;  ///< As Problem::to_string() says it.
  std::string backend;
  std::string device;
  double copy_us = 0;
  SearchSpace space;
  std::vector<RecordedTrial> trials;  ///< Of each contender.
};

/// What the records of a journal say of these targets and jobs. Contenders of which they say
/// nothing are left out of the space, and nothing that a database knew is proposed. Errors: those
/// of make_search_space().
Result<std::vector<RecordedSearch>> recorded_searches(const std::vector<JournalRecord>& records,
                                                      const std::vector<Candidate>& targets,
                                                      const std::vector<Job>& jobs);

std::string to_text(const std::vector<RecordedSearch>& searches);

/// Whether a text that begins so may be a recording: what any version of the tuner has written is.
bool begins_recording(std::string_view text);

/// `source` is the text's name in messages. Errors: invalid_argument, with the line; a contender
/// that this build does not have is one.
Result<std::vector<RecordedSearch>> parse_recording(std::string_view text,
                                                    const std::string& source);

}  // namespace fastnorm::tuner
