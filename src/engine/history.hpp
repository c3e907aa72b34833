#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include <carbo/optimizer.hpp>

namespace carbo::internal {

/// A suggestion whose result is not known yet.
struct PendingPoint {
  Configuration configuration;
  std::vector<double> encoded;
  std::optional<std::size_t> pool_row{};
};

/// An observation in the form that the models learn from.
struct LearnedPoint {
  std::vector<double> numbers;
  std::vector<double> encoded;
  ObservationStatus status = ObservationStatus::succeeded;
  double objective = 0;  ///< NaN unless succeeded
  double cost = 0;
  std::optional<std::size_t> pool_row{};  ///< of the caller's pool, where it is known
};

/// All suggestions and observations of a run. Observations are learned in an order that depends on their
/// values and on the `ask` that they came before, never on the order in which they were told.
class History {
 public:
  explicit History(const Space& space) : space_(space) {}

  void suggest(std::uint64_t id, PendingPoint point) { pending_.emplace(id, std::move(point)); }
  /// Checks that `id` is pending; throws UnknownSuggestion that says whether it was ever given out.
  const PendingPoint& pending_point(std::uint64_t id) const;
  /// `pool_row`: of an observation that was not suggested; a suggestion's own is known.
  void record(Observation observation, std::optional<std::size_t> pool_row);
  void withdraw(std::uint64_t id);

  /// Moves what was recorded since the last call to the end of `learned`, in canonical order.
  void learn_new();

  const std::map<std::uint64_t, PendingPoint>& pending() const { return pending_; }
  std::span<const Observation> observations() const { return observations_; }
  std::span<const LearnedPoint> learned() const { return learned_; }
  /// Learned successes with the best objectives, best first; ties by their numbers.
  std::vector<const LearnedPoint*> best_learned(Goal goal, std::size_t count) const;
  /// Evaluations of this run that ended, failures included.
  std::size_t evaluated_in_run() const { return evaluated_in_run_; }

 private:
  const Space& space_;
  std::map<std::uint64_t, PendingPoint> pending_;
  std::unordered_set<std::uint64_t> resolved_;
  std::vector<Observation> observations_;
  std::vector<std::optional<std::size_t>> pool_rows_;  ///< one an observation
  std::vector<LearnedPoint> learned_;
  std::size_t evaluated_in_run_ = 0;
};

}  // namespace carbo::internal
