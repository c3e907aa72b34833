#pragma once

#include <cstddef>

#include "cost/cost_state.hpp"
#include "gp/surrogate_state.hpp"
#include "gp/transform_choice.hpp"
#include "support/tree_reader.hpp"

namespace carbo::internal {

/// A ModelPair beside the points that it has learned.
struct ModelPairState {
  std::size_t learned = 0;      ///< points of the last update; 0 where another one is due
  TransformChoice transform{};  ///< for Transform::automatic
  SurrogateState objective{};
  CostModelState cost{};
};

Tree tree_of(const ModelPairState& state);
ModelPairState read_model_pair_state(const TreeReader& reader);

}  // namespace carbo::internal
