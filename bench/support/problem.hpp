#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "backend/backend.hpp"

namespace carbo::bench {

/// Where the observations lie.
enum class DataSet {
  spread,  ///< uniform
  late,    ///< half uniform, half round the minimum, as late in a run
  noisy,   ///< as `late`, with noise of a tenth of the objective's variance
};

inline constexpr DataSet data_sets[] = {DataSet::spread, DataSet::late, DataSet::noisy};
const char* name_of(DataSet data);

/// Columns that Hartmann-6 reads.
inline constexpr std::size_t hartmann_columns = 6;

/// The problem that jobs pick from: Hartmann-6, standardised, and a log cost linear in the parameters, both seen at n
/// points; a pool of m candidates, 70 % Sobol and 30 % round the best observed. With fewer than six columns the
/// others stand at the minimum; each one beyond adds a shallow valley. Everything is a function of (data, n, m,
/// columns), hyperparameters are fixed.
struct Problem {
  Problem(DataSet data, std::size_t n, std::size_t m, std::size_t columns = hartmann_columns);

  internal::MatrixView point_rows() const { return {points.data(), objective.size(), columns}; }
  internal::MatrixView pool_rows() const { return {pool.data(), pool.size() / columns, columns}; }
  std::size_t rows() const { return objective.size(); }
  std::size_t candidates() const { return pool.size() / columns; }
  double lowest_observed() const;
  std::string label() const;

  DataSet data;
  std::size_t columns;         ///< 1 to 100
  std::vector<double> points;  ///< n × columns, in the order in which a factor takes them
  std::vector<double> objective;
  std::vector<double> log_costs;
  std::vector<double> pool;  ///< m × columns
  internal::GpParameters objective_gp;
  internal::GpParameters log_cost_gp;
};

}  // namespace carbo::bench
