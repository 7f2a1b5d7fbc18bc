// SPDX-License-Identifier: Apache-2.0
/// autotune digest
#include "core/counted.hpp"
#include "core/selection_digest.hpp"
#include "core/sha256.hpp"
#include "core/tuning_db.hpp"
#include "tuner/case_selection.hpp"
#include "tuner/commands.hpp"
#include "tuner/complain.hpp"
#include "tuner/exit_status.hpp"
#include "tuner/json_writer.hpp"
#include "tuner/left_out.hpp"
#include "tuner/targets.hpp"
#include "tuner/use_database.hpp"

#include <fastnorm/version.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace fastnorm::tuner {
namespace {

/// A list of shapes with what is chosen for them.
struct Digest {
  std::vector<std::string> lines;  ///< In order, each once.
  LeftOut left_out;                ///< Cases that the library does not offer.
};

Result<Digest> make_digest(const std::vector<measure::Case>& cases,
                           const std::vector<MemorySpace>& spaces, const Options& options) {
  Digest digest;
  for (const measure::Case& workload : cases) {
    const Result<NormDesc> desc = to_desc(workload);
    if (!desc.ok()) {
      digest.left_out.add(workload.name, desc.status().message());
      continue;
    }
    for (const MemorySpace memory : spaces) {
      Result<std::string> line = selection_line(desc.value(), plan_options(memory, options));
      if (!line.ok()) return line.status();
      digest.lines.push_back(std::move(line).value());
    }
  }
  digest.lines = in_order(std::move(digest.lines));
  return digest;
}

void print_text(const Digest& digest) {
  std::printf("%s  %s\n", sha256(digest_text(digest.lines)).c_str(),
              counted(digest.lines.size(), "choice", "choices").c_str());
  std::fputs(digest.left_out.text("left out").c_str(), stdout);
}

void print_json(const Digest& digest) {
  JsonWriter json;
  json.begin_object();
  json.key("sha256").text(sha256(digest_text(digest.lines)));
  json.key("fastnorm").text(version());
  json.key("kernel_version").integer(kernel_version);
  json.key("cases_not_offered").integer(static_cast<std::int64_t>(digest.left_out.count()));
  json.key("left_out").begin_array();
  for (const auto& [reason, names] : digest.left_out.groups()) {
    for (const std::string& name : names) {
      json.begin_object();
      json.key("case").text(name);
      json.key("reason").text(reason);
      json.end();
    }
  }
  json.end();
  json.key("lines").begin_array();
  for (const std::string& line : digest.lines) json.text(line);
  json.end();
  json.end();
  std::fputs(std::move(json).take().c_str(), stdout);
}

}  // namespace

int digest(const Options& options) {
  if (Status status = use_existing_database(options.db); !status.ok()) {
    return complain(status, exit_failed);
  }
  Result<std::vector<measure::Case>> loaded = load_case_file(options);
  if (!loaded.ok()) return complain(loaded.status(), exit_failed);
  const Result<std::vector<measure::Case>> cases = select_cases(std::move(loaded).value(), options);
  if (!cases.ok()) return complain(cases.status(), exit_usage);
  const Result<std::vector<Candidate>> targets = select_targets(options);
  if (!targets.ok()) return complain(targets.status(), exit_failed);
  const Result<Digest> made = make_digest(cases.value(), memory_spaces(targets.value()), options);
  if (!made.ok()) return complain(made.status(), exit_failed);
  switch (options.format) {
    case OutputFormat::text:
      print_text(made.value());
      break;
    case OutputFormat::json:
      print_json(made.value());
      break;
    case OutputFormat::lines:
      std::fputs(digest_text(made.value().lines).c_str(), stdout);
      break;
  }
  return exit_done;
}

}  // namespace fastnorm::tuner
