#pragma once

#include <string>
#include <vector>

#include "program/support/terminal.hpp"

namespace carbo::program {

/// `carbo run` as it was asked for: a study file, or what stands for one. Empty: not given.
struct RunRequest {
  std::string study;
  std::string budget, objective, cost, goal, workers, storage, name;
  std::vector<std::string> parameters;  ///< NAME=DOMAIN
  std::vector<std::string> settings;    ///< KEY=VALUE
  std::vector<std::string> command;
  bool command_given = false;
  bool join = false, plain = false, accept_changes = false;
};

int run_command(Terminal& terminal, const RunRequest& request);

}  // namespace carbo::program
