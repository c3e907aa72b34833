#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "acquisition/spec.hpp"
#include "backend/incumbents.hpp"
#include "backend/scored.hpp"

namespace carbo::internal {

/// The highest log cost that a pick may have.
struct CostLimit {
  double log_cost = std::numeric_limits<double>::infinity();  ///< of every pick
  std::function<double()> of_next{};  ///< asked once a pick instead, where what was picked counts
  double now() const { return of_next ? of_next() : log_cost; }
};

/// One pick of a batch.
struct PickedRow {
  Scored best;                              ///< by row
  double incumbent = 0;                     ///< mean over fantasies of what improvement was measured from
  std::optional<double> runner_up_score{};  ///< of the next best, where it was asked for and there is one
  std::uint64_t available = 0;              ///< candidates that could be picked, this one included
  std::size_t finished = 0;                 ///< work for this pick, see SearchWork
  std::size_t refreshed = 0;
  double screened_share = 0;        ///< of the search so far
  std::span<const double> point{};  ///< its coordinates, encoded, where the search has them at hand; else empty
};

/// A batch that is to be picked.
struct BatchRequest {
  std::size_t count = 1;
  kernels::AcquisitionSpec acquisition{};
  CostLimit limit{};
  /// So many picks, from the first on, join a round, which costs its longest evaluation: each counts what it lasts
  /// beside those before it, the acquisition's round_log_cost and waiting included. Others count their own cost.
  std::size_t together = 0;
  bool with_runner_up = true;
  Incumbents* incumbents = nullptr;  ///< as they stand; those of what is fantasised are added
  /// One standard normal a fantasy of the batch's point `pick`, counted from 0.
  std::function<std::vector<double>(std::size_t pick)> normals{};
  bool repeats = false;  ///< whether a row that was taken may be picked again
  /// Takes a row, out of what may be picked unless `repeats`; returns its coordinates, encoded, valid until the next
  /// call.
  std::function<std::span<const double>(const PickedRow&)> take{};
  /// Where given: the best candidate under this acquisition is looked for along with the batch's first pick, and
  /// `go_on` asked about it (index `none` where no candidate has a score) before that is taken.
  std::optional<kernels::AcquisitionSpec> beside{};
  std::function<bool(const Scored& best)> go_on{};
};

enum class BatchEnd {
  complete,
  exhausted,  ///< nothing is left to pick
  refused,    ///< nothing that is left has a score within the limit
  stopped,    ///< `go_on` said no; nothing was taken
};

}  // namespace carbo::internal
