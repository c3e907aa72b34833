#pragma once

#include <cstddef>
#include <memory>

#include "bench/choice/split.hpp"
#include "bench/replay/table.hpp"

namespace carbo::choice {

/// Looks for the row of a table that a configuration stands for.
class NearestRow {
 public:
  explicit NearestRow(const replay::Table& table);

  /// The row with the smallest Euclidean distance in the encoded unit cube (see Space::encode): numbers on their
  /// scale, two categories 1 apart. Of several, the first.
  std::size_t operator()(const Configuration& configuration) const;

 private:
  Space space_;
  std::size_t rows_;
  std::vector<double> encoded_{};  ///< rows × encoded columns
};

/// The table for whoever proposes freely in its space: a proposal costs and gives what the nearest row does, and a
/// row that was measured before is charged again. Name, optimum, mean cost and the largest number of evaluations are
/// those of the table.
replay::Problem snapped_problem(const replay::Problem& problem, const replay::Table& table);

/// The tables of a half.
std::vector<replay::Problem> snapped_problems_of(Half half, const std::filesystem::path& data);

}  // namespace carbo::choice
