#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "acquisition/fantasy_ensemble.hpp"

namespace carbo::internal {

/// One pick of a search.
struct PickedRow {
  Scored best;  ///< by row
  std::uint64_t id = 0;
  double incumbent = 0;                     ///< mean over fantasies of what improvement was measured from
  std::optional<double> runner_up_score{};  ///< of the next best, where it was asked for and there is one
  std::uint64_t available = 0;              ///< candidates that could be picked, this one included
  std::size_t finished = 0;                 ///< work for this pick, see SearchWork
  std::size_t refreshed = 0;
};

/// A batch that is to be picked.
struct PickProblem {
  FantasyEnsemble& ensemble;  ///< its search has begun, and what runs is fantasised
  std::size_t count = 1;
  std::uint64_t first_id = 0;  ///< of the first pick; decides its fantasies
  kernels::AcquisitionSpec acquisition{};
  bool with_runner_up = true;
  /// Log of the highest cost that the next pick may have; asked once a pick, since what was picked may count.
  std::function<double()> log_cost_limit{};
  /// Takes a row out of what may be picked; returns its coordinates, encoded, valid until the next call.
  std::function<std::span<const double>(const PickedRow&)> take{};
};

enum class BatchEnd {
  complete,
  exhausted,  ///< nothing is left to pick
  refused,    ///< nothing that is left has a score within the limit
};

/// Picks each batch point by point: the best candidate is taken and fantasised, and the next one picked knowing that
/// it runs. `ends` has the size of `problems`.
void pick_batches(std::span<const PickProblem> problems, std::span<BatchEnd> ends);

}  // namespace carbo::internal
