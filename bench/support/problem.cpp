#include "bench/support/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "bench/study/functions.hpp"
#include "formulas/sobol.hpp"
#include "gp/row_order.hpp"
#include "replay/statistics.hpp"
#include "support/random.hpp"

namespace carbo::bench {

using namespace carbo::internal;

namespace {

constexpr double near_minimum = 0.08;  // standard deviation of observations round the minimum, a coordinate
constexpr double near_best = 0.1;      // and of candidates round the best observed
constexpr double pool_sobol_share = 0.7;
constexpr double valley_depth = 0.1;  // of a column beyond Hartmann-6's

/// Streams of random numbers.
enum Stream : std::uint64_t { uniform_points = 1, points_near_minimum, noise, candidates_near_best };

double inside(double coordinate) { return std::clamp(coordinate, 0.0, 1.0); }

constexpr std::array<double, hartmann_columns> hartmann_minimum = {0.20169,  0.150011, 0.476874,
                                                                   0.275332, 0.311652, 0.6573};
double minimum(std::size_t column) { return column < hartmann_columns ? hartmann_minimum[column] : 0.5; }

double objective_at(std::span<const double> x) {
  std::array<double, hartmann_columns> first = hartmann_minimum;
  std::copy_n(x.begin(), std::min(x.size(), hartmann_columns), first.begin());
  double value = study::hartmann6(first);
  for (std::size_t c = hartmann_columns; c < x.size(); ++c)
    value -= valley_depth * std::cos(2 * std::numbers::pi * (x[c] - minimum(c)));
  return value;
}

std::vector<double> draw_points(DataSet data, std::size_t n, std::size_t columns) {
  std::vector<double> points(n * columns);
  for (std::size_t i = 0; i < n; ++i)
    for (std::uint32_t c = 0; c < columns; ++c)
      points[i * columns + c] =
          data != DataSet::spread && i % 2 == 1
              ? inside(minimum(c) + near_minimum * normal(points_near_minimum, Draw::fantasy, i, c))
              : uniform(uniform_points, Draw::uniform_configuration, i, c);
  return points;
}

std::vector<double> standardised_objective(MatrixView points, double noise_variance) {
  std::vector<double> values(points.rows);
  for (std::size_t i = 0; i < points.rows; ++i) values[i] = objective_at(points.row(i));
  const double centre = replay::mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  const double scale = squares > 0 ? std::sqrt(squares / static_cast<double>(values.size())) : 1;
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = (values[i] - centre) / scale + std::sqrt(noise_variance) * normal(noise, Draw::fantasy, i);
  return values;
}

/// Beyond six columns each weighs less, so that costs spread as far.
double log_cost_at(std::span<const double> x) {
  double sum = 0;
  for (std::size_t c = 0; c < x.size(); ++c) sum += (c % 2 == 0 ? -1.0 : 1.5) * x[c];
  return x.size() <= hartmann_columns ? sum : sum * hartmann_columns / static_cast<double>(x.size());
}

std::vector<double> draw_pool(std::span<const double> best, std::size_t m) {
  const std::size_t columns = best.size();
  const auto sobol = static_cast<std::size_t>(pool_sobol_share * static_cast<double>(m));
  std::vector<double> pool(m * columns);
  for (std::size_t i = 0; i < m; ++i)
    for (std::uint32_t c = 0; c < columns; ++c)
      pool[i * columns + c] = i < sobol
                                  ? kernels::sobol_unit(kernels::sobol_word(kernels::sobol_directions.word[c],
                                                                            static_cast<std::uint32_t>(i)))
                                  : inside(best[c] + near_best * normal(candidates_near_best, Draw::fantasy, i, c));
  return pool;
}

}  // namespace

const char* name_of(DataSet data) {
  return data == DataSet::spread ? "spread" : data == DataSet::late ? "late" : "noisy";
}

Problem::Problem(DataSet data_set, std::size_t n, std::size_t m, std::size_t column_count)
    : data(data_set), columns(column_count) {
  constexpr std::array<double, hartmann_columns> lengthscales = {0.5, 0.5, 0.7, 0.4, 0.5, 0.5};
  for (std::size_t c = 0; c < columns; ++c)
    objective_gp.inverse_lengthscales.push_back(1 / lengthscales[c % hartmann_columns]);
  objective_gp.noise_variance = data == DataSet::noisy ? 0.1 : 1e-4;
  log_cost_gp = objective_gp;
  log_cost_gp.noise_variance = 1e-4;
  const std::vector<double> drawn = draw_points(data, n, columns);
  const MatrixView drawn_rows{drawn.data(), n, columns};
  const std::vector<double> values = standardised_objective(drawn_rows, objective_gp.noise_variance);
  for (const std::size_t i : spread_and_best_order(drawn_rows, values)) {
    const std::span<const double> row = drawn_rows.row(i);
    points.insert(points.end(), row.begin(), row.end());
    objective.push_back(values[i]);
    log_costs.push_back(log_cost_at(row));
  }
  const auto best = std::min_element(objective.begin(), objective.end()) - objective.begin();
  pool = draw_pool(point_rows().row(static_cast<std::size_t>(best)), m);
}

double Problem::lowest_observed() const { return *std::min_element(objective.begin(), objective.end()); }

std::string Problem::label() const {
  std::string name = name_of(data);
  name.resize(6, ' ');
  return name + " n=" + std::to_string(rows()) + " m=" + std::to_string(candidates());
}

}  // namespace carbo::bench
