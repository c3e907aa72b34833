#include "design/initial_design.hpp"

#include <algorithm>
#include <limits>

namespace carbo::internal {
namespace {

/// The paper's warm start, and one that leaves more to what follows it.
constexpr std::size_t paper_warm_start = 5;
constexpr std::size_t short_warm_start = 3;

/// A known cost needs no teaching, so Algorithm 1 can start at once; a uniform design is nothing but its draws.
std::size_t usual_warm_start(const Options& options) {
  const bool taught = options.cost.known.has_value();
  switch (options.initial_design) {
    case InitialDesign::cost_effective:
      return taught ? 0 : short_warm_start;
    case InitialDesign::paper:
      return taught ? 0 : paper_warm_start;
    case InitialDesign::uniform:
      return paper_warm_start;
    case InitialDesign::points:
      break;
  }
  return 0;
}

}  // namespace

InitialDesignPlan::InitialDesignPlan(const Options& options)
    : options_(options), warm_start_(options.design.warm_start.value_or(usual_warm_start(options))) {}

bool InitialDesignPlan::over(const DesignState& state) const {
  if (ended_) return true;
  if (warm_start_left(state.points) > 0 || points_left() > state.served) return false;
  const double design_budget = options_.design.budget_share * options_.budget;
  return !(races() && used(state) < design_budget);
}

bool InitialDesignPlan::races() const {
  return options_.initial_design == InitialDesign::cost_effective || options_.initial_design == InitialDesign::paper;
}

bool InitialDesignPlan::stops_early() const {
  return options_.initial_design == InitialDesign::cost_effective && options_.design.least_gain > 0;
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
