// SPDX-License-Identifier: Apache-2.0
#include "tuner/command_line.hpp"

#include "core/enum_values.hpp"
#include "core/number_text.hpp"
#include "core/quoted.hpp"
#include "tuner/complain.hpp"
#include "tuner/exit_status.hpp"
#include "tuner/option_scopes.hpp"

#include <fastnorm/version.hpp>

#include <CLI/CLI.hpp>

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fastnorm::tuner {
namespace {

constexpr const char* usage_notes =
    "Examples:\n"
    "  autotune                                   tune every shipped case that fits this device\n"
    "  autotune --gpu H100                        the same, if the device is an H100\n"
    "  autotune --case kb1_35_groupnorm --budget 60s --db my.yaml\n"
    "  autotune --op group_norm --shape 112x64x512x512 --groups 8\n"
    "  autotune --devices all                     on all GPUs of the machine at once\n"
    "  autotune explain kb1_35_groupnorm          what would run, and why\n"
    "  autotune explain --shape 8x64x56x56 --groups 8\n"
    "  autotune digest --cases shapes.yaml        do all ranks of a program choose alike?\n"
    "\"autotune COMMAND --help\" lists the options that go with a command.\n";

constexpr const char* more_help = "; \"autotune --help\" says what there is";

constexpr const char* exit_status_note =
    "Exit status: 0 done, 1 something failed (what, on standard error), 2 wrong usage.\n";

/// Help to a command lists the program's options that go with it after its own.
class CommandHelp final : public CLI::Formatter {
 public:
  CommandHelp(const CLI::App& program, Command command) : program_(program), command_(command) {}

  std::string make_group(std::string name, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (!is_positional) {
      const std::vector<const CLI::Option*> more = program_.get_options(
          [this](const CLI::Option* option) { return goes_with(command_, option->get_name()); });
      options.insert(options.end(), more.begin(), more.end());
    }
    return CLI::Formatter::make_group(std::move(name), is_positional, std::move(options));
  }

 private:
  const CLI::App& program_;
  Command command_;
};

/// All of the text as a number from `least` on that the type can hold; false if it is anything
/// else.
template <class Integer>
bool parse_whole_number(std::string_view text, Integer least, Integer& number) {
  return parse_number(text, number) && number >= least;
}

/// "112x64x512x512"; false if it is anything else.
bool parse_shape(std::string_view text, std::vector<std::int64_t>& shape) {
  shape.clear();
  for (bool more = true; more;) {
    const std::size_t end = text.find('x');
    std::int64_t extent = 0;
    if (!parse_whole_number<std::int64_t>(text.substr(0, end), 1, extent)) return false;
    shape.push_back(extent);
    more = end != std::string_view::npos;
    if (more) text.remove_prefix(end + 1);
  }
  return shape.size() >= 2 && shape.size() <= static_cast<std::size_t>(Extents::max_rank);
}

/// What an unset variable of a script leaves is no value: without it, something else would be
/// meant.
std::string not_empty(const std::string& text) { return text.empty() ? "must not be empty" : ""; }

/// An option whose text `parse` turns into a value; `allowed` is said where it cannot.
template <class Parse>
CLI::Option* add_parsed(CLI::App& app, const char* name, const char* type, const char* help,
                        const std::string& allowed, const Parse& parse) {
  const auto checked = [=](const std::string& text) {
    if (!parse(text)) throw CLI::ValidationError(name, in_quotes(text) + " must be " + allowed);
  };
  return app.add_option_function<std::string>(name, checked, help)->type_name(type);
}

/// An option whose value is one of these, by its name.
template <class Enum, std::size_t count>
void add_named(CLI::App& app, const char* name, const char* help,
               const std::array<Enum, count>& values, Enum& value) {
  add_parsed(app, name, "NAME", help, "one of " + names_of(values),
             [&values, &value](const std::string& text) {
               const std::optional<Enum> found = find_by_name(values, text);
               if (found) value = *found;
               return found.has_value();
             });
}

/// "from 1 to 9223372036854775807"
template <class Integer>
std::string range_from(Integer least) {
  return "from " + std::to_string(least) + " to " +
         std::to_string(std::numeric_limits<Integer>::max());
}

/// An option whose value is a whole number.
template <class Integer>
CLI::Option* add_whole_number(CLI::App& app, const char* name, const char* type, const char* help,
                              Integer least, Integer& value) {
  return add_parsed(
      app, name, type, help, "a whole number " + range_from(least),
      [least, &value](const std::string& text) { return parse_whole_number(text, least, value); });
}

void set_format(Options& options, OutputFormat format) {
  if (options.format != OutputFormat::text && options.format != format) {
    throw CLI::ValidationError("--json", "and --lines exclude each other");
  }
  options.format = format;
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("--gpu", options.gpu, "Refuse to run on any other GPU than this (\"H100\")")
      ->type_name("NAME")
      ->check(not_empty);
  app.add_flag("--any-gpu", options.any_gpu, "Go on where --gpu names another GPU")->needs("--gpu");
  add_parsed(app, "--backend", "NAME",
             "Kernels meant: cuda where there is a device, else kokkos, if not given",
             "one of cuda, kokkos, all", [&options](const std::string& text) {
               options.backend = text;
               return text == "cuda" || text == "kokkos" || text == "all";
             });
  add_parsed(
      app, "--devices", "LIST",
      "GPUs that share the cases: all, or their numbers (0,2); the current one, if not given",
      "all, or different numbers from 0 (0,2)", [&options](const std::string& text) {
        const Result<DeviceChoice> devices = parse_devices(text);
        if (devices.ok()) options.devices = devices.value();
        return devices.ok();
      });
  app.add_option("--case", options.case_names, "This case only (repeatable)")
      ->type_name("CASE")
      ->check(not_empty)
      ->expected(1)
      ->take_all();
  CLI::Option* file =
      app.add_option("--cases", options.cases_file, "File of cases, not the shipped one")
          ->type_name("FILE")
          ->check(not_empty);
  add_parsed(app, "--op", "OP", "Operation of the shape; else, only its cases",
             "one of " + names_of(all_ops), [&options](const std::string& text) {
               options.op = text;
               return find_by_name(all_ops, text).has_value();
             });
  add_parsed(app, "--dtype", "TYPE", "Element type of the shape; else, only its cases",
             "one of " + names_of(all_dtypes), [&options](const std::string& text) {
               options.dtype = text;
               return find_by_name(all_dtypes, text).has_value();
             });
  CLI::Option* shape =
      add_parsed(app, "--shape", "NxCx...", "This shape instead of cases",
                 "N, C and spatial extents (2x64x32x32), each " + range_from<std::int64_t>(1),
                 [&options](const std::string& text) { return parse_shape(text, options.shape); });
  shape->excludes("--case")->excludes(file);
  add_whole_number<std::int64_t>(app, "--groups", "G", "Groups of the shape", 1, options.groups)
      ->needs(shape);
  add_parsed(
      app, "--budget", "BUDGET",
      "Time (60s, 2m, 1h) or number of evaluations (200) for the whole run; 450s if not given",
      allowed_budgets, [&options](const std::string& text) {
        const Result<Budget> budget = parse_budget(text);
        if (budget.ok()) options.budget = budget.value();
        return budget.ok();
      });
  add_named(app, "--search",
            "How to go through the configurations: guided if not given. exhaustive takes the time "
            "that it takes, unless --budget is given",
            all_search_methods, options.search);
  add_named(app, "--proposals",
            "What to try first: what a database knows of the shape, if not given, or the defaults "
            "alone",
            all_proposals, options.proposals);
  app.add_option(
         "--db", options.db,
         "Database instead of the user's: a folder or a .yaml (.yml) file; \"none\" for the "
         "shipped one alone where nothing is written (show, explain, digest)")
      ->type_name("PATH")
      ->check(not_empty);
  app.add_flag_callback(
      "--json", [&options] { set_format(options, OutputFormat::json); },
      "show, explain, digest: print JSON, for programs");
  add_whole_number<std::uint64_t>(
      app, "--seed", "N", "Of the random data and of the orders of trials", 0, options.seed);
  app.add_option("--record", options.record,
                 "Write what was measured to this file, for fastnorm-bench-search")
      ->type_name("FILE")
      ->check(not_empty);
  app.add_flag_callback(
      "--resume", [&options] { options.start = Journal::Start::resumed; },
      "Go on with the same run where it was cut off; what it has measured is not measured again");
}

void check_scopes(const CLI::App& app, const Options& options) {
  const Status status = check_option_scopes(options.command, [&app](std::string_view option) {
    return app.count(std::string(option)) > 0;
  });
  if (!status.ok()) throw CLI::ValidationError(status.message());
}

/// Without a limit, exhaustive means all.
void set_limit(const CLI::App& app, Options& options) {
  if (options.search == SearchMethod::exhaustive && app.count("--budget") == 0) {
    options.budget = Budget::unlimited();
  }
}

void check_what_is_explained(const CLI::App& app, const Options& options) {
  if (options.command != Command::explain || !options.shape.empty()) return;
  if (options.explained_case.empty()) throw CLI::RequiredError("explain: a CASE or --shape");
  for (const char* name : {"--op", "--dtype"}) {
    if (app.count(name) > 0) throw CLI::RequiresError(name, "--shape, since a CASE has its own");
  }
}

}  // namespace

std::variant<Options, int> parse_command_line(int argc, const char* const* argv) {
  Options options;
  CLI::App app("Finds the fastest kernels for this machine and stores them in its tuning database.",
               "autotune");
  app.set_version_flag("--version", version());
  app.footer(std::string(usage_notes) + exit_status_note);
  app.fallthrough();  // options may follow the subcommand, too
  app.require_subcommand(0, 1);
  add_options(app, options);

  const auto add_command = [&](const char* help, Command command) {
    CLI::App* subcommand = app.add_subcommand(to_string(command), help);
    subcommand->callback([&options, command] { options.command = command; });
    subcommand->formatter(std::make_shared<CommandHelp>(app, command));
    subcommand->footer(exit_status_note);
    return subcommand;
  };
  add_command("Tune (what happens without a command, too)", Command::run);
  add_command("List the databases in use and their entries", Command::show);
  add_command("Say what would run for a case or a --shape, and why", Command::explain)
      ->add_option("CASE", options.explained_case, "Name of the case")
      ->check(not_empty)
      ->excludes(app.get_option("--shape"));
  add_command("Print a digest of what would run for the cases", Command::digest)
      ->add_flag_callback(
          "--lines", [&options] { set_format(options, OutputFormat::lines); },
          "Print the text that the digest is of: its SHA-256");
  add_command("Check a database file", Command::validate)
      ->add_option("FILE", options.validated_file, "The .yaml (.yml) file")
      ->check(not_empty)
      ->required();
  CLI::App* merger =
      add_command("Join databases, entry by entry the better evidence", Command::merge);
  merger->add_option("DB", options.merged, "Databases: .yaml (.yml) files or folders")
      ->check(not_empty)
      ->required();
  merger
      ->add_option(
          "-o,--output", options.output,
          "Database to write: a .yaml (.yml) file or a folder; what is there already takes part")
      ->type_name("PATH")
      ->check(not_empty)
      ->required();
  add_command("Time the entries against the defaults again, and drop those that lose",
              Command::recheck);
  try {
    app.parse(argc, argv);
    check_scopes(app, options);
    check_what_is_explained(app, options);
    set_limit(app, options);
  } catch (const CLI::ParseError& outcome) {
    const bool is_answer = outcome.get_exit_code() == 0;  // to --help or --version
    if (is_answer) return app.exit(outcome);
    return complain(shortened(outcome.what(), longest_name) + more_help, exit_usage);
  }
  return options;
}

}  // namespace fastnorm::tuner
