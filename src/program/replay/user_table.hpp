#pragma once

#include <memory>
#include <string>
#include <vector>

#include <carbo/options.hpp>

#include "program/replay/replay.hpp"
#include "replay/table.hpp"

namespace carbo::program {

/// Somebody's table as a problem.
struct UserTable {
  std::string file;
  std::string objective, cost;  ///< names of columns; `cost` empty where every row costs 1
  Goal goal = Goal::minimize;
  std::shared_ptr<const replay::Table> table;
  replay::Problem problem;
  std::vector<std::string> notes;  ///< what was taken for granted, in sentences

  /// An objective as the file has it, from one that is minimised.
  double shown(double objective) const { return goal == Goal::maximize ? -objective : objective; }
};

/// Throws InvalidObservation naming file, line and column, InvalidOptions where the options do not fit the table, and
/// carbo::Error where the file cannot be read.
UserTable read_user_table(const ReplayArguments& arguments);

/// The words between commas of all entries. Not empty: throws InvalidOptions naming the option.
std::vector<std::string> list_of(const char* option, const std::vector<std::string>& entries);

}  // namespace carbo::program
