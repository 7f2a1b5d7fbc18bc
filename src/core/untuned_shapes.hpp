// SPDX-License-Identifier: Apache-2.0
/// What a process has met without having an entry for it, and the file where that is recorded.
#pragma once

#include "core/case_text.hpp"
#include "core/plan_impl.hpp"
#include "core/tuning_db.hpp"

#include <fastnorm/plan.hpp>
#include <fastnorm/untuned.hpp>

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

namespace fastnorm {

class UntunedShapes {
 public:
  /// `record` is the cases file to add to; empty: none.
  explicit UntunedShapes(std::filesystem::path record) : record_(std::move(record)) {}

  /// Looks at a plan just made, and keeps its problem if that is untuned and new. May write the
  /// file: every new shape at once while they are few, later ones in batches of one in
  /// `shares_written`, so that a program that meets thousands does not write thousands of files.
  /// Never fails and never throws; a file that cannot be written costs one warning.
  void note(const Plan::Impl& plan, const PlanOptions& options, const TuningDb& db) noexcept;

  /// Writes what is left, and from now on every shape at once: the process is about to end.
  void finish() noexcept;

  std::vector<UntunedShape> list() const;

  static constexpr std::size_t max_shapes = 4096;
  static constexpr std::size_t shares_written = 64;

 private:
  struct Met {
    UntunedShape shape;
    std::string case_name;
  };

  /// Whether it was new, and there was room for it.
  bool keep(const Plan::Impl& plan);
  bool is_due();
  void write();

  const std::filesystem::path record_;

  mutable std::mutex mutex_;  ///< Of what follows.
  std::unordered_set<std::string> identities_;
  std::vector<Met> met_;     ///< In the order in which they were.
  std::size_t written_ = 0;  ///< So many of them are in the file.
  bool is_ending_ = false;

  std::mutex file_mutex_;  ///< Held while the file is written; taken before mutex_.
  bool has_warned_ = false;
};

/// That of the process, which records in the file that FASTNORM_RECORD names at the first call.
UntunedShapes& process_untuned_shapes();

}  // namespace fastnorm
