#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <carbo/selector.hpp>

#include "support/backend_oracle.hpp"
#include "support/not_finite.hpp"

namespace carbo::test {

using oracle::Points;

inline oracle::Gp objective_gp() { return {{0.35, 0.5, 0.8}, 1.3, 2e-3, 0.2}; }
inline oracle::Gp cost_gp() { return {{0.6, 0.7, 0.9}, 0.9, 1e-3, -0.1}; }

inline Hyperparameters hyperparameters(const oracle::Gp& gp) {
  return {gp.lengthscales, gp.signal, gp.noise, gp.mean};
}

inline double some_objective(const std::vector<double>& x) {
  return std::cos(7 * x[0]) + 2 * (x[1] - 0.4) * (x[1] - 0.4) - 0.5 * x[2];
}
inline double some_cost(const std::vector<double>& x) { return std::exp(1 + 2 * x[0] - x[1] + 0.3 * x[2]); }

/// A pool of three columns and evaluations away from it, for a selector whose hyperparameters are given.
struct SelectorScene {
  explicit SelectorScene(std::size_t pool_rows = 300, std::size_t observations = 24, std::uint64_t seed = 1) {
    oracle::Uniform random(seed);
    pool = random.points(pool_rows, 3);
    tried = random.points(observations, 3);
    for (const auto& x : tried) {
      objectives.push_back(some_objective(x));
      costs.push_back(some_cost(x));
    }
    for (const auto& x : pool) pool_costs.push_back(some_cost(x));
    flat_pool = oracle::flat(pool);
    flat_tried = oracle::flat(tried);
  }

  static SelectorOptions options(BackendKind kind = BackendKind::cpu) {
    SelectorOptions options;
    options.columns = 3;
    options.seed = 11;
    options.surrogate.fixed = hyperparameters(objective_gp());
    options.cost.surrogate.fixed = hyperparameters(cost_gp());
    options.fantasies.count = 3;
    options.backend.kind = kind;
    options.backend.threads = 2;
    return options;
  }

  MatrixRef rows() const { return host_rows(flat_pool.data(), pool.size(), 3); }
  SelectorPool known_cost_pool() const { return {rows(), host_values(pool_costs.data(), pool_costs.size())}; }
  Observations observations(std::size_t first, std::size_t count) const {
    Observations part;
    part.points = host_rows(flat_tried.data() + 3 * first, count, 3);
    part.objectives = host_values(objectives.data() + first, count);
    part.costs = host_values(costs.data() + first, count);
    return part;
  }
  Observations observations() const { return observations(0, tried.size()); }

  /// A selector that has the pool and all observations.
  Selector ready(const SelectorOptions& wanted = options(), DeviceResources resources = {}) const {
    Selector selector(wanted, std::move(resources));
    selector.set_pool({rows()});
    selector.append(observations());
    return selector;
  }

  Points pool, tried;
  std::vector<double> objectives, costs, pool_costs;
  std::vector<double> flat_pool, flat_tried;  ///< row-major
};

inline SelectorOptions on_device() { return SelectorScene::options(BackendKind::cuda); }

/// Values with gaps between rows or columns; what lies in the gaps must not be read.
template <class T>
std::vector<T> spread(const Points& points, Order order, std::size_t leading) {
  const std::size_t rows = points.size(), columns = points[0].size();
  const bool by_rows = order == Order::row_major;
  std::vector<T> values((by_rows ? rows : columns) * leading, std::numeric_limits<T>::quiet_NaN());
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      values[by_rows ? r * leading + c : c * leading + r] = static_cast<T>(points[r][c]);
  return values;
}

struct Picked {
  std::vector<std::int64_t> rows;
  std::vector<double> scores;
};

inline Picked suggest(Selector& selector, const PickRequest& request) {
  Picked picked{std::vector<std::int64_t>(request.count, -7), std::vector<double>(request.count, -7)};
  const std::size_t count = selector.suggest(
      request, {host_index_room(picked.rows.data(), request.count), host_room(picked.scores.data(), request.count)});
  picked.rows.resize(count);
  picked.scores.resize(count);
  return picked;
}

inline std::vector<std::int64_t> design(Selector& selector, const PickRequest& request) {
  std::vector<std::int64_t> rows(request.count, -7);
  rows.resize(selector.design(request, {host_index_room(rows.data(), rows.size())}));
  return rows;
}

inline std::vector<double> dense_scores(Selector& selector, const PickRequest& request = {}) {
  std::vector<double> scores(selector.pool_size(), not_a_number);
  selector.scores(request, host_room(scores.data(), scores.size()));
  return scores;
}

inline std::int64_t best_of(const std::vector<double>& scores) {
  return std::max_element(scores.begin(), scores.end()) - scores.begin();
}

/// Scores of two routes to the same posterior: rounding of 24 rows at a condition number of up to 24 · 1.3 / 2e-3,
/// which log EI magnifies by up to |u| ≲ 30.
inline constexpr double score_tolerance = 1e-8;

inline void expect_same_scores(const std::vector<double>& found, const std::vector<double>& expected,
                               double tolerance = score_tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isinf(expected[i])) {
      ASSERT_EQ(found[i], expected[i]) << "row " << i;
    } else {
      ASSERT_NEAR(found[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << "row " << i;
    }
  }
}

inline void expect_same_picks(const Picked& found, const Picked& expected, double tolerance = score_tolerance) {
  EXPECT_EQ(found.rows, expected.rows);
  expect_same_scores(found.scores, expected.scores, tolerance);
}

}  // namespace carbo::test
