#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "program/support/terminal.hpp"
#include "replay/usual.hpp"

namespace carbo::program {

/// `carbo replay` as it was asked for. Lists of columns and others hold what each option was given, commas included.
struct ReplayArguments {
  std::string table;
  std::string objective;  ///< empty: `objective`
  std::string cost;       ///< empty: `cost` where there is one; "none": every row costs 1
  std::string goal;       ///< empty: minimize, or what the study file of `space` says
  std::vector<std::string> parameters, ignored, logarithmic, categorical;
  std::string space;    ///< a study file
  std::string repeats;  ///< empty: refuse
  bool leave_out = false;
  std::vector<std::string> methods, budgets, batches;
  std::size_t seeds = replay::usual_seeds;
  std::optional<double> share;  ///< of the rows that a run may evaluate; absent: a quarter, of fewer than 100 half
  std::size_t jobs = 0;         ///< 0: one a core
  std::string output;           ///< empty: NAME.replay here
};

/// Runs the methods on the table, writes page and CSV files and says what came out. Ends with 0, or with 128 and the
/// number of the signal that stopped it: what was run is kept, and the same call goes on.
int replay_table(Terminal& terminal, const ReplayArguments& arguments);

}  // namespace carbo::program
