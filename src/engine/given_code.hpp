#pragma once

#include <carbo/options.hpp>
#include <carbo/restore.hpp>
#include <carbo/space.hpp>

namespace carbo::internal {

/// What the text of a state cannot hold of a space and its options, under the names that Optimizer::restore has for
/// it; the pool, where there is one, and the backend as `options` have them.
RestoreOptions code_of(const Space& space, const Options& options);

}  // namespace carbo::internal
