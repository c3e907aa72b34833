#pragma once

#include <carbo/options.hpp>
#include <carbo/space.hpp>

namespace carbo::internal {

/// Throws InvalidOptions naming the field, its value and its range (surrogates, cost models and backends check their
/// own). Returns the options with `automatic` accounting resolved.
Options validated(const Space& space, Options options);
/// What `automatic` stands for. Throws InvalidOptions where the unit does not go with the accounting.
Accounting resolved_accounting(const Options& options);

}  // namespace carbo::internal
