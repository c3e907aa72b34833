#pragma once

#include <string>

#include <carbo/cost.hpp>

#include "space/space_tree.hpp"

namespace carbo::internal {

/// Constants, expressions, sums of products and short columns as they are; a function as a mark that there is one; of
/// a long column its size and its hash.
Tree tree_of(const Quantity& quantity);
/// `name`: in RestoreOptions::quantities. Throws InvalidState. A quantity that was not given is listed, and 1 here.
Quantity read_quantity(const TreeReader& reader, const std::string& name, GivenAgain& given);

Tree tree_of(const CostFeature& feature);
CostFeature read_feature(const TreeReader& reader, const std::string& name, GivenAgain& given);

}  // namespace carbo::internal
