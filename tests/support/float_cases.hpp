#pragma once

#include <cmath>
#include <vector>

#include "support/search_cases.hpp"

// Cases in which a first look in float32 is most at risk, for the searches of every backend.
namespace search_cases {

/// A cost that only the search computes, with its limit near costs of the pool.
inline std::vector<Case> late_costs_with_limits(Shape shape) {
  std::vector<Case> cases;
  for (const auto weight : {carbo::CostWeight::median, carbo::CostWeight::mean, carbo::CostWeight::moment})
    for (const double limit : {HUGE_VAL, 0.4, -1.0}) {
      Case c = late_case(shape, 63000);
      c.cost = Cost::modelled_late;
      c.weight = weight;
      c.alpha = 1;
      c.log_cost_limit = limit;
      cases.push_back(c);
    }
  return cases;
}

/// Coordinates without a margin in float32: candidates far from the data, or beyond its numbers; then data, too.
inline std::vector<Case> points_beyond_float32(Shape shape) {
  std::vector<Case> cases;
  for (const double stretch : {1e5, 1e20, 1e150}) {
    Case c = late_case(shape);
    for (std::size_t i = 0; i < c.candidates.size(); i += 13) c.candidates[i] *= stretch;
    cases.push_back(c);
    for (std::size_t i = 0; i < c.points.size(); i += 17) c.points[i] *= stretch;
    cases.push_back(c);
  }
  return cases;
}

}  // namespace search_cases
