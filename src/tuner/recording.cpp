// SPDX-License-Identifier: Apache-2.0
#include "tuner/recording.hpp"

#include "core/backend.hpp"
#include "core/number_text.hpp"
#include "core/quoted.hpp"

#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <variant>

namespace fastnorm::tuner {
namespace {

constexpr std::string_view first_words = "fastnorm recording ";
constexpr std::string_view first_line = "fastnorm recording 1";
constexpr std::string_view case_mark = "case";

// ---- From a journal.

struct RecordedTrials {
  std::optional<CaseBegun> begun;
  std::map<std::string, RecordedTrial> of;  ///< By the contender's text.
};

/// Puts each record to its case.
struct Sorter {
  std::map<TuningNumber, RecordedTrials>& cases;

  void operator()(const RunBegun&) const {}
  void operator()(const WinnersStored&) const {}
  void operator()(const CaseBegun& begun) const { cases[begun.tuning].begun = begun; }
  void operator()(const Verified& answer) const {
    note(cases[answer.tuning].of[answer.contender], answer.status);
  }
  void operator()(const Timed& answer) const {
    RecordedTrial& trial = cases[answer.tuning].of[answer.contender];
    note(trial, answer.status);
    for (const double us : answer.samples_us) {
      trial.samples_us.push_back(std::round(us * 1e3) / 1e3);
    }
  }

  static void note(RecordedTrial& trial, const Status& status) {
    if (!status.ok() && trial.failure.empty()) trial.failure = status.message();
  }
};

/// Of the contenders of `space`, those that were tried. The defaults always are.
void add_trials(RecordedSearch& search, const SearchSpace& space,
                const std::map<std::string, RecordedTrial>& trials) {
  SearchSpace& tried = search.space;
  for (std::size_t i = 0; i < space.contenders.size(); ++i) {
    const auto trial = trials.find(space.contenders[i].text());
    if (trial == trials.end()) continue;
    if (i == space.default_index) tried.default_index = search.trials.size();
    if (i == space.deterministic_default_index) {
      tried.deterministic_default_index = search.trials.size();
    }
    if (i < space.proposed) ++tried.proposed;
    tried.contenders.push_back(space.contenders[i]);
    tried.estimates_us.push_back(space.estimates_us[i]);
    search.trials.push_back(trial->second);
  }
}

// ---- As text.

void append(std::string& line, std::string_view field) {
  line += '\t';
  for (const char c : field) line += c == '\t' || c == '\n' ? ' ' : c;
}

void append(std::string& line, double number) { append(line, number_text(number)); }
void append(std::string& line, std::size_t number) { append(line, std::to_string(number)); }

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = line.find('\t');
    fields.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

/// Reads a recording line by line. An empty text is all right, anything else what is wrong.
class Reader {
 public:
  std::string begin_case(const std::vector<std::string_view>& fields) {
    constexpr std::size_t count = 9;
    if (fields.size() != count) return "a case has " + std::to_string(count) + " fields";
    RecordedSearch search;
    search.name = fields[1];
    search.problem = fields[2];
    search.backend = fields[3];
    search.device = fields[4];
    SearchSpace& space = search.space;
    const bool read_all = parse_number(fields[5], search.copy_us) &&
                          parse_number(fields[6], space.proposed) &&
                          parse_number(fields[7], space.default_index) &&
                          parse_number(fields[8], space.deterministic_default_index);
    if (!read_all) return "a number of the case is none";
    backend_ = find_backend(fields[3]);
    if (backend_ == nullptr) return "this build has no back end " + shortened(fields[3]);
    searches_.push_back(std::move(search));
    return {};
  }

  std::string add_contender(const std::vector<std::string_view>& fields) {
    if (searches_.empty()) return "no case has begun";
    constexpr std::size_t samples_from = 3;
    if (fields.size() < samples_from) return "a contender has at least three fields";
    Result<Contender> contender = Contender::parse(fields[0], *backend_);
    if (!contender.ok()) return contender.status().message();
    double estimate_us = 0;
    if (!parse_number(fields[1], estimate_us)) return "the estimate is no number";
    RecordedTrial trial{std::string(fields[2]), {}};
    for (std::size_t i = samples_from; i < fields.size(); ++i) {
      if (!parse_number(fields[i], trial.samples_us.emplace_back())) return "a sample is no number";
    }
    RecordedSearch& search = searches_.back();
    search.space.contenders.push_back(std::move(contender).value());
    search.space.estimates_us.push_back(estimate_us);
    search.trials.push_back(std::move(trial));
    return {};
  }

  /// Whether what was read has what its cases' lines announced.
  std::string finish() const {
    for (const auto& [name, problem, backend, device, copy_us, space, trials] : searches_) {
      const std::size_t size = space.contenders.size();
      const bool whole = space.default_index < size && space.deterministic_default_index < size &&
                         space.proposed <= size;
      if (!whole) return "case " + shortened(name, longest_name) + " is not whole";
    }
    return {};
  }

  std::vector<RecordedSearch> take() && { return std::move(searches_); }

 private:
  std::vector<RecordedSearch> searches_;
  const Backend* backend_ = nullptr;  ///< Of the last case.
};

}  // namespace

Result<std::vector<RecordedSearch>> recorded_searches(const std::vector<JournalRecord>& records,
                                                      const std::vector<Candidate>& targets,
                                                      const std::vector<Job>& jobs) {
  std::map<TuningNumber, RecordedTrials> cases;
  for (const JournalRecord& record : records) std::visit(Sorter{cases}, record);
  std::vector<RecordedSearch> searches;
  for (const auto& [number, recorded] : cases) {
    if (!recorded.begun || number.target >= targets.size() || number.job >= jobs.size()) continue;
    const Candidate& target = targets[number.target];
    const Job& job = jobs[number.job];
    const Result<SearchSpace> space = make_search_space(job.problem, target, {});
    if (!space.ok()) return space.status();
    RecordedSearch search;
    search.name = job.workload.name;
    search.problem = job.problem.to_string();
    search.backend = target.backend->name();
    search.device = target.device->name;
    search.copy_us = recorded.begun->copy_us;
    add_trials(search, space.value(), recorded.of);
    searches.push_back(std::move(search));
  }
  return searches;
}

std::string to_text(const std::vector<RecordedSearch>& searches) {
  std::string text = std::string(first_line) + "\n";
  for (const RecordedSearch& search : searches) {
    text += case_mark;
    for (const std::string* field :
         {&search.name, &search.problem, &search.backend, &search.device}) {
      append(text, *field);
    }
    const SearchSpace& space = search.space;
    append(text, search.copy_us);
    append(text, space.proposed);
    append(text, space.default_index);
    append(text, space.deterministic_default_index);
    text += '\n';
    for (std::size_t i = 0; i < space.contenders.size(); ++i) {
      text += space.contenders[i].text();
      append(text, space.estimates_us[i]);
      append(text, search.trials[i].failure);
      for (const double us : search.trials[i].samples_us) append(text, us);
      text += '\n';
    }
  }
  return text;
}

bool begins_recording(std::string_view text) {
  return text.substr(0, first_words.size()) == first_words;
}

Result<std::vector<RecordedSearch>> parse_recording(std::string_view text,
                                                    const std::string& source) {
  Reader reader;
  std::size_t number = 0;
  const auto refused = [&](const std::string& why) {
    return Status(StatusCode::invalid_argument, source + ":" + std::to_string(number) + ": " + why);
  };
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return refused("the line does not end");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (number == 1) {
      if (line != first_line) return refused("is not how a recording begins");
      continue;
    }
    const std::vector<std::string_view> fields = fields_of(line);
    const std::string wrong =
        fields[0] == case_mark ? reader.begin_case(fields) : reader.add_contender(fields);
    if (!wrong.empty()) return refused(wrong);
  }
  if (number == 0) return refused("is empty");
  if (const std::string wrong = reader.finish(); !wrong.empty()) return refused(wrong);
  return std::move(reader).take();
}

}  // namespace fastnorm::tuner
