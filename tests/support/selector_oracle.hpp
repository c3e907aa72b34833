#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <carbo/options.hpp>

#include "support/backend_oracle.hpp"

/// What a selector must score and race, in plain long double loops.
namespace oracle {

/// Mean 0 and variance 1 over all values.
struct Standardised {
  explicit Standardised(const std::vector<double>& given) {
    const Real count = static_cast<Real>(given.size());
    for (const double value : given) shift += static_cast<Real>(value) / count;
    Real variance = 0;
    for (const double value : given)
      variance += (static_cast<Real>(value) - shift) * (static_cast<Real>(value) - shift) / count;
    scale = std::sqrt(variance);
    for (const double value : given)
      values.push_back(static_cast<double>((static_cast<Real>(value) - shift) / scale));
  }
  Real shift = 0, scale = 1;
  std::vector<double> values;
};

/// log of s·(φ(u) + u·Φ(u)), u = (best − mean) / s. In long double the sum keeps 15 digits down to u = −30.
inline Real log_expected_improvement(const Posterior& at, Real best) {
  const Real s = std::sqrt(at.variance), u = (best - at.mean) / s;
  const Real density = std::exp(-u * u / 2) / std::sqrt(2 * std::acos(static_cast<Real>(-1)));
  const Real below = std::erfc(-u / std::sqrt(static_cast<Real>(2))) / 2;
  return std::log(s) + std::log(density + u * below);
}

/// Logarithm of a cost and its variance.
inline std::vector<Posterior> log_costs(const Gp& gp, const Points& x, const std::vector<double>& costs,
                                        const Points& at) {
  std::vector<double> logs;
  for (const double cost : costs) logs.push_back(std::log(cost));
  const Standardised targets(logs);
  const Regression regression(gp, x, targets.values);
  std::vector<Posterior> result;
  for (const auto& point : at) {
    const Posterior one = regression.at(point);
    result.push_back({targets.shift + targets.scale * one.mean, targets.scale * targets.scale * one.variance});
  }
  return result;
}

inline Real log_cost_weight(const Posterior& log_cost, Real alpha, carbo::CostWeight weight) {
  switch (weight) {
    case carbo::CostWeight::median:
      return -alpha * log_cost.mean;
    case carbo::CostWeight::mean:
      return -alpha * (log_cost.mean + log_cost.variance / 2);
    case carbo::CostWeight::moment:
      return -alpha * log_cost.mean + alpha * alpha * log_cost.variance / 2;
  }
  return 0;
}

/// Log EI-cool of every candidate; `objectives` are to be minimised.
inline std::vector<double> ei_cool(const Gp& gp, const Points& x, const std::vector<double>& objectives,
                                   const Points& candidates, const std::vector<Posterior>& log_costs, double alpha,
                                   carbo::CostWeight weight = carbo::CostWeight::median) {
  const Standardised targets(objectives);
  const Regression regression(gp, x, targets.values);
  const double best = *std::min_element(targets.values.begin(), targets.values.end());
  std::vector<double> scores;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    scores.push_back(static_cast<double>(log_expected_improvement(regression.at(candidates[i]), best) +
                                         log_cost_weight(log_costs[i], alpha, weight)));
  return scores;
}

inline double distance_to_nearest(const Points& design, const std::vector<double>& point) {
  double nearest = INFINITY;
  for (const auto& other : design) {
    double squared = 0;
    for (std::size_t c = 0; c < point.size(); ++c) squared += (point[c] - other[c]) * (point[c] - other[c]);
    nearest = std::min(nearest, squared);
  }
  return nearest;
}

/// Strikes the first of `left` by an order.
template <class Before>
void strike(std::vector<std::size_t>& left, const Before& before) {
  left.erase(std::min_element(left.begin(), left.end(), before));
}

/// Rows of the cost-effective design, Algorithm 1 as it is written: the dearest goes, then the closest, in turn. Of
/// equal costs the closest goes first, of equal distances the dearest; no two rows are equal in both.
inline std::vector<std::int64_t> design_rows(const Points& candidates, const std::vector<double>& costs, Points known,
                                             std::size_t count, double cost_limit = INFINITY) {
  std::vector<std::size_t> entrants;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (costs[i] <= cost_limit) entrants.push_back(i);
  std::vector<std::int64_t> picked;
  while (picked.size() < count && !entrants.empty()) {
    std::vector<double> distances;
    for (const auto& point : candidates) distances.push_back(distance_to_nearest(known, point));
    const auto dearer = [&](std::size_t a, std::size_t b) {
      return costs[a] != costs[b] ? costs[a] > costs[b] : distances[a] < distances[b];
    };
    const auto closer = [&](std::size_t a, std::size_t b) {
      return distances[a] != distances[b] ? distances[a] < distances[b] : costs[a] > costs[b];
    };
    std::vector<std::size_t> left = entrants;
    while (left.size() > 1) {
      strike(left, dearer);
      if (left.size() > 1) strike(left, closer);
    }
    picked.push_back(static_cast<std::int64_t>(left[0]));
    known.push_back(candidates[left[0]]);
    std::erase(entrants, left[0]);
  }
  return picked;
}

}  // namespace oracle
