#pragma once

#include <cstdint>
#include <span>

#include "acquisition/fantasy_ensemble.hpp"

namespace carbo::internal {

/// A batch that is to be picked.
struct PickProblem {
  FantasyEnsemble& ensemble;   ///< its search has begun, and what runs is fantasised
  std::uint64_t first_id = 0;  ///< of the first pick; decides its fantasies
  BatchRequest batch{};        ///< incumbents and normals are the ensemble's
};

/// Picks every batch by its search. `ends` has the size of `problems`.
void pick_batches(std::span<const PickProblem> problems, std::span<BatchEnd> ends);

}  // namespace carbo::internal
