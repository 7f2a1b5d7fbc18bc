// SPDX-License-Identifier: Apache-2.0
#include "core/untuned_shapes.hpp"

#include "core/case_file.hpp"
#include "core/log.hpp"
#include "core/tuning_text.hpp"

#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>

namespace fastnorm {
namespace {

/// Whether tuning the problem would give it an entry that it does not have.
bool is_untuned(const Plan::Impl& plan, const PlanOptions& options, const TuningDb& db) {
  const Selection& selection = plan.selection;
  switch (selection.origin) {
    case Origin::forced:
    case Origin::exact:
      return false;
    case Origin::bucket:
    case Origin::nearest:
    case Origin::same_arch:
    case Origin::heuristic:
      break;
  }
  if (options.tuning != Tuning::database || plan.problem.empty()) return false;
  // An exact entry may be there and not have been taken.
  TuningQuery query = TuningQuery::of(plan.problem, plan.backend_name, *selection.candidate.device);
  query.key.deterministic = options.deterministic;
  const std::vector<TuningMatch> matches = db.lookup(query);
  return matches.empty() || matches.front().quality != MatchQuality::exact;
}

std::string identity_of(const Plan::Impl& plan) {
  const TuningKey key = TuningKey::of(plan.problem, plan.backend_name);
  return key.backend + " " + operation_text(key) + " " + to_string(TuningShape::of(plan.problem));
}

/// In full, since the program may change its folder.
std::filesystem::path record_from_environment() {
  const char* value = std::getenv("FASTNORM_RECORD");
  if (value == nullptr || *value == '\0') return {};
  std::error_code error;
  std::filesystem::path full = std::filesystem::absolute(value, error);
  return error ? std::filesystem::path(value) : full;
}

}  // namespace

void UntunedShapes::note(const Plan::Impl& plan, const PlanOptions& options,
                         const TuningDb& db) noexcept {
  try {
    if (is_untuned(plan, options, db) && keep(plan) && is_due()) write();
  } catch (...) {
    // Without memory for it, the list stays as it was; the call does not need it.
  }
}

void UntunedShapes::finish() noexcept {
  try {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_ending_ = true;
    }
    write();
  } catch (...) {
  }
}

std::vector<UntunedShape> UntunedShapes::list() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<UntunedShape> shapes;
  shapes.reserve(met_.size());
  for (const Met& met : met_) shapes.push_back(met.shape);
  return shapes;
}

bool UntunedShapes::keep(const Plan::Impl& plan) {
  std::string identity = identity_of(plan);
  const std::string served_by = to_string(plan.selection.origin);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (met_.size() == max_shapes || identities_.count(identity) > 0) return false;
  std::optional<CaseText> text =
      case_text(plan.problem, plan.backend_name + " served it by " + served_by);
  if (!text) return false;
  met_.push_back({{plan.problem.desc(), plan.backend_name, served_by, std::move(text->yaml)},
                  std::move(text->name)});
  identities_.insert(std::move(identity));
  return true;
}

bool UntunedShapes::is_due() {
  if (record_.empty()) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_ending_ || (met_.size() - written_) * shares_written >= met_.size();
}

void UntunedShapes::write() {
  if (record_.empty()) return;
  const std::lock_guard<std::mutex> file_lock(file_mutex_);
  std::vector<CaseText> left;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t i = written_; i < met_.size(); ++i) {
      left.push_back({met_[i].case_name, met_[i].shape.case_text});
    }
  }
  if (left.empty()) return;
  const Status status = add_to_case_file(record_, left);
  if (status.ok()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    written_ += left.size();
  } else if (!has_warned_) {
    has_warned_ = true;
    log(LogLevel::warning, "FASTNORM_RECORD: shapes are not recorded: " + status.message());
  }
}

UntunedShapes& process_untuned_shapes() {
  // Never destroyed: a call from another static object's destructor still finds it.
  static UntunedShapes& shapes = []() -> UntunedShapes& {
    const std::filesystem::path record = record_from_environment();
    if (!record.empty()) std::atexit([] { process_untuned_shapes().finish(); });
    return *new UntunedShapes(record);
  }();
  return shapes;
}

std::vector<UntunedShape> untuned_shapes() { return process_untuned_shapes().list(); }

}  // namespace fastnorm
