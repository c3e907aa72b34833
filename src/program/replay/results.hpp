#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "program/replay/user_table.hpp"
#include "program/support/json.hpp"
#include "replay/summary.hpp"

namespace carbo::program {

/// All methods with one batch size and one budget.
struct ReplayCell {
  replay::Summary summary;
  std::vector<replay::PairSavings> savings;
  double mean_costs = 0;  ///< the budget in mean costs of a row
};

/// What a replay found. The first method is the one whose savings are shown.
struct ReplayResults {
  const UserTable* table = nullptr;
  std::vector<replay::Method> methods;
  std::vector<ReplayCell> cells;
};

/// For --json, and with `curves` for the page: those as [share of the grid, 25 %, 50 %, 75 %] of the regret wherever
/// one of them changes, null before a first success.
Json json_of(const ReplayResults& results, bool curves);

/// A row a method and grid point, and a row a pair of methods; both with batch and budget.
std::string curves_csv(const ReplayResults& results);
std::string savings_csv(const ReplayResults& results);

/// Tables for the terminal, one a cell.
std::string results_text(const Terminal& terminal, const ReplayResults& results);

}  // namespace carbo::program
