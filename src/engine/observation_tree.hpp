#pragma once

#include <carbo/optimizer.hpp>

#include "support/tree_reader.hpp"

namespace carbo::internal {

/// NaN is left out, and what is left out of objective and cost is NaN.
Tree tree_of(const Observation& observation);
/// Throws InvalidState, or InvalidConfiguration where the configuration does not belong to the space.
Observation read_observation(const TreeReader& reader, const Space& space);

/// Whatever is absent, or as it is by default, is left out.
Tree tree_of(const Receipt& receipt);
Receipt read_receipt(const TreeReader& reader);

Tree tree_of(const Suggestion& suggestion);
Suggestion read_suggestion(const TreeReader& reader, const Space& space);

}  // namespace carbo::internal
