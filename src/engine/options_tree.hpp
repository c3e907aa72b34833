#pragma once

#include <carbo/options.hpp>

#include "space/space_tree.hpp"
#include "support/tree_reader.hpp"

namespace carbo::internal {

/// All settings but those of the caller's pool, which is a part of the state by itself.
Tree tree_of(const Options& options);
/// Settings that are absent are those by default. Throws InvalidState. Quantities that were not given are listed.
Options read_options(const TreeReader& reader, const Space& space, GivenAgain& given);
/// Names of all settings that are read, those in groups with a dot: `budget`, `design.least_gain`.
std::vector<std::string> option_names();

}  // namespace carbo::internal
