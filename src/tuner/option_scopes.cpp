// SPDX-License-Identifier: Apache-2.0
#include "tuner/option_scopes.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace fastnorm::tuner {
namespace {

struct OptionScope {
  std::string_view option;
  std::vector<Command> commands;
};

const std::vector<OptionScope>& option_scopes() {
  static const std::vector<Command> plan = {Command::run, Command::explain, Command::digest};
  static const std::vector<Command> choose = {Command::run, Command::explain, Command::digest,
                                              Command::recheck};
  static const std::vector<Command> measure = {Command::run, Command::recheck};
  static const std::vector<Command> tune = {Command::run};
  static const std::vector<OptionScope> scopes = {
      {"--gpu", choose},
      {"--any-gpu", choose},
      {"--backend", choose},
      {"--devices", tune},
      {"--case", {Command::run, Command::digest}},
      {"--cases", plan},
      {"--op", plan},
      {"--dtype", plan},
      {"--shape", plan},
      {"--groups", plan},
      {"--budget", measure},
      {"--search", tune},
      {"--proposals", tune},
      {"--db", {Command::run, Command::show, Command::explain, Command::digest, Command::recheck}},
      {"--json", {Command::show, Command::explain, Command::digest}},
      {"--seed", measure},
      {"--record", tune},
      {"--resume", tune}};
  return scopes;
}

/// "run, explain and digest"
std::string names_of(const std::vector<Command>& commands) {
  std::string names;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (i > 0) names += i + 1 == commands.size() ? " and " : ", ";
    names += to_string(commands[i]);
  }
  return names;
}

bool is_among(Command command, const std::vector<Command>& commands) {
  return std::find(commands.begin(), commands.end(), command) != commands.end();
}

}  // namespace

bool goes_with(Command command, std::string_view option) {
  const std::vector<OptionScope>& scopes = option_scopes();
  return std::any_of(scopes.begin(), scopes.end(), [&](const OptionScope& scope) {
    return scope.option == option && is_among(command, scope.commands);
  });
}

Status check_option_scopes(Command command, const IsGiven& is_given) {
  for (const auto& [option, commands] : option_scopes()) {
    if (is_among(command, commands) || !is_given(option)) continue;
    return {StatusCode::invalid_argument, std::string(option) + " goes with " + names_of(commands) +
                                              ", not with " + to_string(command)};
  }
  return {};
}

}  // namespace fastnorm::tuner
