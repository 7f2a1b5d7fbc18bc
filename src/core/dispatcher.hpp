// SPDX-License-Identifier: Apache-2.0
/// Chooses back end, strategy and configuration: a pure function of its arguments.
#pragma once

#include "core/backend.hpp"
#include "core/tuning_db.hpp"

#include <fastnorm/plan.hpp>
#include <fastnorm/status.hpp>

#include <optional>
#include <string>
#include <vector>

namespace fastnorm {

enum class Origin { forced, exact, bucket, nearest, same_arch, heuristic };
const char* to_string(Origin origin) noexcept;
/// That of a choice by an entry of the quality.
Origin origin_of(MatchQuality quality) noexcept;

/// A back end together with the device that the call is for.
struct Candidate {
  const Backend* backend = nullptr;
  const DeviceInfo* device = nullptr;
};

/// What would have come before the choice, and why it was not taken.
struct PassedOver {
  std::optional<MatchQuality> entry;  ///< Of a database; none: a strategy that is not prepared.
  std::string reason;                 ///< What it was, and why.
};

struct Selection {
  Candidate candidate;
  const KernelVariant* variant = nullptr;
  Config config;
  Origin origin = Origin::heuristic;
  std::string reason;  ///< One sentence: where the choice comes from, and what was passed over.
  std::vector<PassedOver> passed_over{};  ///< The same, one by one.
};

/// A strategy that would have been chosen and could not be prepared, with the reason.
struct Unprepared {
  const KernelVariant* variant = nullptr;
  std::string reason;
};

/// Whether the entry's key says of its results what the strategy does: that they repeat bit for
/// bit, or that they need not. One that does not is for no call.
Support repeats_as_said(const TuningEntry& entry, const KernelVariant& variant);

/// The refusal of a back end's name, with those that this build has.
Status unknown_backend(const std::string& wanted);

/// invalid_argument unless the name is empty or some back end of this build goes by it.
Status check_backend_name(const std::string& wanted);

/// Why no strategy of the candidates supports the problem, each reason once; empty if one does.
std::string refusals(const Problem& problem, const std::vector<Candidate>& candidates,
                     const PlanOptions& options = {},
                     const std::vector<Unprepared>& unprepared = {});

/// `candidates` in order of preference, not empty. Names in `options` force the choice; then the
/// database's matches that are still supported; then the smallest estimate among the defaults. The
/// `unprepared` ones are passed over, wherever they are proposed. Errors: invalid_argument for an
/// unknown name or a malformed config, unsupported for a forced choice that refuses the problem,
/// and where every strategy does (with their reasons).
Result<Selection> choose(const Problem& problem, const std::vector<Candidate>& candidates,
                         const TuningDb& db, const PlanOptions& options,
                         const std::vector<Unprepared>& unprepared = {});

}  // namespace fastnorm
