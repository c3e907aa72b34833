#pragma once

#include <optional>
#include <vector>

#include <carbo/options.hpp>
#include <carbo/space.hpp>

#include "models/fit_models.hpp"

namespace carbo::test {

/// The models of a study with these options; `options` must outlive them.
inline internal::ModelPair models_of(const Space& space, const Options& options, internal::Backend& backend,
                                     std::optional<std::size_t> pool_rows = std::nullopt) {
  const auto groups = space.column_parameters();
  internal::ModelPairOptions pair;
  pair.objective = options.surrogate;
  pair.transform = options.transform;
  pair.goal = options.goal;
  pair.penalize_failures = options.failures.penalize;
  pair.pool_rows_alone = internal::uses_pool_column(options.cost);
  pair.seed = options.seed;
  return {backend, std::vector<int>(groups.begin(), groups.end()), pair,
          internal::make_cost_model(space, options.cost, backend, pool_rows)};
}

inline void learn(internal::Backend& backend, internal::ModelPair& models,
                  std::span<const internal::LearnedPoint> points) {
  const internal::ModelUpdate update{&models, points};
  internal::fit_models(backend, {&update, 1});
}

}  // namespace carbo::test
