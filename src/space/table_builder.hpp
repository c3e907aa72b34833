#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "space/axis.hpp"
#include "space/candidates.hpp"
#include "space/row_set.hpp"

namespace carbo::internal {

/// Whether rows may be offered twice. Where they cannot, no memory is spent on looking.
enum class Repeats { possible, impossible };

/// Collects distinct configurations that satisfy the constraints, in the order in which they are offered.
/// Refers to the space.
class TableBuilder {
 public:
  /// `most_rows`: the largest number of rows that will be kept.
  TableBuilder(const Space& space, std::size_t most_rows, Repeats repeats);

  /// Keeps a row of valid numbers; false where it repeats an earlier row or violates a constraint.
  bool offer(std::span<const double> numbers);

  std::size_t rows() const { return rows_; }
  std::span<const Axis> axes() const { return axes_; }

  /// The table. Its first rows are `sobol`'s points; all others are encoded. Throws InvalidSpace where it is empty;
  /// `nothing` says of what no row was allowed.
  CandidateTable finish(const std::string& nothing, SobolShare sobol = {}) &&;

 private:
  bool allowed(std::span<const double> numbers);

  const Space& space_;
  std::vector<Axis> axes_;
  std::optional<RowSet> present_;  ///< absent where rows cannot repeat
  std::size_t rows_ = 0;
  std::vector<double> numbers_;
  std::string last_violated_;  ///< description of a constraint that refused a row
};

}  // namespace carbo::internal
