#pragma once

#include <carbo/memory_plan.hpp>
#include <carbo/options.hpp>

namespace carbo::internal {

/// What follows from the options of an Optimizer or of a Selector alone: sizes of models and of what is kept a
/// candidate. Candidates, observations, batch and budget are left to the caller.
MemoryRequest model_memory(const Space& space, const SurrogateOptions& surrogate, const CostOptions& cost,
                           const FantasyOptions& fantasies, std::size_t threads);
template <class Options>
MemoryRequest memory_of(const Space& space, const Options& options) {
  return model_memory(space, options.surrogate, options.cost, options.fantasies, options.backend.threads);
}

}  // namespace carbo::internal
