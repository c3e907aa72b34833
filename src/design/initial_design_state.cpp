#include <cmath>

#include <carbo/error.hpp>
#include <carbo/to_string.hpp>

#include "design/initial_design.hpp"

namespace carbo::internal {

Tree tree_of(const DesignPlanState& state) {
  Tree tree = Tree::object();
  tree.set("points_served", state.points_served);
  tree.set("ended", state.ended);
  tree.set("why_ended", state.why_ended);
  tree.set("gain", state.gain);
  tree.set("spent_at_end", state.spent_at_end);
  return tree;
}

DesignPlanState read_design_plan_state(const TreeReader& reader) {
  DesignPlanState state;
  state.points_served = reader.get<std::uint64_t>("points_served");
  state.ended = reader.get<bool>("ended");
  reader.read("why_ended", state.why_ended);
  reader.read("gain", state.gain);
  reader.read("spent_at_end", state.spent_at_end);
  const double spent = state.spent_at_end.value_or(0.0);
  reader.require(std::isfinite(spent) && spent >= 0, "spent_at_end: expected a finite number of at least 0");
  return state;
}

void InitialDesignPlan::restore(const DesignPlanState& state) {
  if (state.points_served > options_.design.points.size())
    throw InvalidState("points_served is above the number of design.points");
  points_served_ = state.points_served;
  ended_ = state.ended;
  why_ended_ = state.why_ended;
  gain_ = state.gain;
  spent_at_end_ = state.spent_at_end;
}

}  // namespace carbo::internal
