#include "models/model_pair_state.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <carbo/error.hpp>

#include "gp/transform_tree.hpp"
#include "models/model_pair.hpp"

namespace carbo::internal {
namespace {

/// Of `points`, the first ones that the objective's model has so many observations of.
std::span<const LearnedPoint> first_of(std::span<const LearnedPoint> points, std::size_t observations,
                                       bool penalize_failures) {
  std::size_t count = 0;
  for (std::size_t found = 0; count < points.size() && found < observations; ++count)
    found += penalize_failures || points[count].status == ObservationStatus::succeeded ? 1 : 0;
  return points.first(count);
}

}  // namespace

Tree tree_of(const ModelPairState& state) {
  Tree tree = Tree::object();
  tree.set("learned", state.learned);
  tree.set("transform", tree_of(state.transform));
  tree.set("objective", tree_of(state.objective));
  tree.set("cost", tree_of(state.cost));
  return tree;
}

ModelPairState read_model_pair_state(const TreeReader& reader) {
  ModelPairState state;
  state.learned = reader.get<std::uint64_t>("learned");
  if (const auto transform = reader.find("transform")) state.transform = read_transform_choice(*transform);
  state.objective = read_surrogate_state(reader.at("objective"));
  state.cost = read_cost_model_state(reader.at("cost"));
  return state;
}

ModelPairState ModelPair::state() const { return {learned_, choice_, objective_.state(), cost_->state()}; }

void ModelPair::restore(std::span<const LearnedPoint> points, const ModelPairState& state) {
  if (state.learned > points.size()) throw InvalidState("learned is above the number of points that were learned");
  choice_ = state.transform;
  if (state.objective.observations > 0) {
    std::optional<Objective> objective =
        objective_of(first_of(points, state.objective.observations, options_.penalize_failures));
    if (!objective || objective->data.size() != state.objective.observations)
      throw InvalidState("objective: there are not so many observations to learn from");
    objective_.restore(std::move(objective->data), state.objective);
    incumbent_ = objective->incumbent;
    objective_scale_ = objective->scale;
    transform_ = std::move(objective->transform);
  }
  const std::vector<CostObservation> costs = cost_observations(points, options_.pool_rows_alone);
  cost_->restore(costs, state.cost);
  learned_ = state.learned;
}

}  // namespace carbo::internal
