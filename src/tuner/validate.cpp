// SPDX-License-Identifier: Apache-2.0
/// autotune validate FILE
#include "core/backend.hpp"
#include "core/counted.hpp"
#include "core/quoted.hpp"
#include "core/tuning_yaml.hpp"
#include "tuner/commands.hpp"
#include "tuner/complain.hpp"
#include "tuner/database_file.hpp"
#include "tuner/entry_job.hpp"
#include "tuner/exit_status.hpp"
#include "tuner/software_here.hpp"
#include "tuner/strategy_problem.hpp"

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <vector>

namespace fastnorm::tuner {
int validate(const Options& options) {
  const std::string& path = options.validated_file;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return complain(path + " is a folder; validate takes one of its files", exit_failed);
  }
  const Result<std::string> text = read_database_file(path);
  if (!text.ok()) return complain(text.status(), exit_failed);
  const Result<ParsedTuningFile> parsed = parse_tuning_yaml(text.value(), path);
  if (!parsed.ok()) {
    return complain(parsed.status().message() +
                        "; the library leaves the whole file out: correct it there, or remove the "
                        "file and tune again",
                    exit_failed);
  }

  std::vector<std::string> problems = parsed.value().problems;
  std::map<std::string, std::size_t> unchecked;  // entries by back ends that this build lacks
  std::map<std::string, std::size_t> elsewhere;  // entries by back ends without the file's device
  const std::vector<TuningEntry>& entries = parsed.value().file.entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Backend* backend = find_backend(entries[i].key.backend);
    if (backend == nullptr) {
      ++unchecked[entries[i].key.backend];
      continue;
    }
    if (!is_here(*backend, parsed.value().file.device)) ++elsewhere[entries[i].key.backend];
    const std::string problem = problem_on_device(entries[i], parsed.value().file.device);
    if (!problem.empty()) problems.push_back(parsed.value().place_text(i) + problem);
  }
  for (const std::string& problem : problems) std::printf("%s\n", escaped(problem).c_str());
  for (const auto& [backend, count] : unchecked) {
    std::printf("%s: strategies of %s not checked: this build has no back end %s\n",
                escaped(path).c_str(), counted(count, "entry", "entries").c_str(),
                shortened(backend).c_str());
  }
  for (const auto& [backend, count] : elsewhere) {
    std::printf("%s: whether the device can run %s of %s not checked: it is not here\n",
                escaped(path).c_str(), counted(count, "entry", "entries").c_str(),
                shortened(backend).c_str());
  }
  for (const Backend* backend : backends()) {
    const std::string note = recheck_note(parsed.value().file, *backend, path);
    if (!note.empty()) std::printf("%s: note: %s\n", escaped(path).c_str(), escaped(note).c_str());
  }
  if (problems.empty()) {
    std::printf("%s: valid, %s for %s\n", escaped(path).c_str(),
                counted(entries.size(), "entry", "entries").c_str(),
                shortened(parsed.value().file.device_name).c_str());
    return exit_done;
  }
  if (parsed.value().file.kernel_version != kernel_version) {
    return complain(path +
                        ": none of its entries is used: tune its shapes again (a run keeps this "
                        "file beside the new one), or use the library whose kernels they are for",
                    exit_failed);
  }
  return complain(path + ": " + counted(problems.size(), "problem", "problems") +
                      "; the library goes on without what they name: correct or remove it there, "
                      "and tune those shapes again",
                  exit_failed);
}

}  // namespace fastnorm::tuner
