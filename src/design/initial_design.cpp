#include "design/initial_design.hpp"

#include <algorithm>
#include <limits>

namespace carbo::internal {
namespace {

/// The paper's warm start.
constexpr std::size_t default_warm_start = 5;

/// A known cost needs no teaching, so Algorithm 1 can start at once; a uniform design is nothing but its draws.
std::size_t warm_start_points(const Options& options) {
  if (options.initial_design == InitialDesign::points) return options.design.warm_start.value_or(0);
  const bool taught = options.cost.known && options.initial_design == InitialDesign::cost_effective;
  return options.design.warm_start.value_or(taught ? 0 : default_warm_start);
}

}  // namespace

InitialDesignPlan::InitialDesignPlan(const Options& options)
    : options_(options), warm_start_(warm_start_points(options)) {}

bool InitialDesignPlan::over(const DesignState& state) const {
  if (ended_) return true;
  if (warm_start_left(state.points) > 0 || points_left() > state.served) return false;
  const bool racing = options_.initial_design == InitialDesign::cost_effective;
  const double design_budget = options_.design.budget_share * options_.budget;
  return !(racing && used(state) < design_budget);
}

double InitialDesignPlan::used(const DesignState& state) const {
  const double spent = std::min(state.spent + state.committed, std::numeric_limits<double>::max());
  if (!options_.max_evaluations) return spent;
  const double share = static_cast<double>(state.evaluations) / static_cast<double>(*options_.max_evaluations);
  return std::max(spent, options_.budget * share);
}

std::size_t InitialDesignPlan::warm_start_left(std::size_t points) const {
  return points < warm_start_ ? warm_start_ - points : 0;
}

}  // namespace carbo::internal
