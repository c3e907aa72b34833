#pragma once

#include <string>
#include <vector>

#include <carbo/space.hpp>

#include "replay/csv.hpp"

namespace carbo::replay {

/// What is known of the columns of a table before it is looked at.
struct ColumnChoice {
  std::vector<std::string> parameters{};   ///< empty: all that are not named in `others`
  std::vector<std::string> others{};       ///< objective, cost, and what is ignored
  std::vector<std::string> logarithmic{};  ///< parameters that are searched on a logarithmic scale
  std::vector<std::string> categorical{};  ///< parameters whose numbers are names
  /// What messages advise of a column that is read as neither numbers nor names.
  std::string advice = "ignore the column, or say that it is categorical";
};

struct GuessedSpace {
  Space space;
  std::vector<std::string> notes{};  ///< which columns were left out, and why, in sentences
};

/// The parameters of a table by what stands in its columns: whole numbers and others between their lowest and
/// highest, texts as names without an order. Left out, unless they are asked for: a column that is empty, has one
/// value alone, or numbers the rows. Throws InvalidObservation naming file, line, column and what would be right
/// where numbers and texts are mixed, a number is not finite, a logarithmic parameter is not above 0, or almost every
/// row has a text of its own; InvalidOptions where what was chosen does not fit together, or no parameter is left.
GuessedSpace guess_space(const std::string& file, const CsvTable& table, const ColumnChoice& choice);

}  // namespace carbo::replay
