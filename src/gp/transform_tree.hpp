#pragma once

#include "gp/transform_choice.hpp"
#include "support/tree_reader.hpp"

namespace carbo::internal {

Tree tree_of(const TransformScore& score);
TransformScore read_transform_score(const TreeReader& reader);
Tree tree_of(const TransformChoice& choice);
TransformChoice read_transform_choice(const TreeReader& reader);

}  // namespace carbo::internal
