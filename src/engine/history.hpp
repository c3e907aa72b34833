#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include <carbo/optimizer.hpp>

#include "models/learned_point.hpp"

namespace carbo::internal {

/// A suggestion whose result is not known yet.
struct PendingPoint {
  Configuration configuration;
  std::vector<double> encoded;
  std::optional<std::size_t> pool_row{};
  Receipt receipt{};
  std::optional<double> timeout{};
  std::size_t order = 0;  ///< see Suggestion
};

/// Without its slot, which the ledger knows.
Suggestion suggestion_of(std::uint64_t id, const PendingPoint& point);

/// How an evaluation ended.
struct EvaluationResult {
  ObservationStatus status = ObservationStatus::succeeded;
  double objective = 0;  ///< NaN unless succeeded
  double cost = 0;
  std::string reason{};  ///< of a failure
  std::uint64_t batch = 0;
  std::size_t slot = 0;
};

/// A History as it came about.
struct HistoryState {
  std::vector<Observation> observations{};
  std::vector<std::optional<std::size_t>> pool_rows{};  ///< one an observation
  std::vector<std::size_t> learned{};                   ///< observations in the order in which they were learned
  std::vector<Suggestion> pending{};                    ///< ids ascending
  std::uint64_t given_out = 0;
};

/// All suggestions and observations of a run. Observations are learned in an order that depends on their
/// values and on the `ask` that they came before, never on the order in which they were told.
///
/// Everything is done in two steps: the first may fail and changes nothing that can be seen, the second cannot fail.
/// There is always room for the results of all that is pending.
class History {
 public:
  using Suggestions = std::map<std::uint64_t, PendingPoint>;

  explicit History(const Space& space) : space_(space) {}

  /// First step of `suggest` and of `record`: room for so many more results.
  void make_room(std::size_t more);
  /// Their ids are above all before them.
  void suggest(Suggestions&& points) noexcept;
  /// Checks that `id` is pending, the first step of `resolve` and of `withdraw`; throws UnknownSuggestion that says
  /// whether it was ever given out.
  const PendingPoint& pending_point(std::uint64_t id) const;
  void resolve(std::uint64_t id, EvaluationResult&& result) noexcept;
  void withdraw(std::uint64_t id) noexcept { pending_.erase(id); }
  /// An observation that there is room for; `pool_row`: of the caller's pool, where it is known.
  void record(Observation&& observation, std::optional<std::size_t> pool_row) noexcept;
  /// Everything observed, moved out.
  std::vector<Observation> take_observations() noexcept { return std::move(observations_); }

  /// Moves what was recorded since the last call to the end of `learned`, in canonical order.
  void learn_new();

  const Suggestions& pending() const { return pending_; }
  std::span<const Observation> observations() const { return observations_; }
  std::span<const LearnedPoint> learned() const { return learned_; }
  /// Geometric mean of the costs that were learned, failures' apart, which may be 0; 1 where there is none.
  double typical_cost() const;
  /// Learned successes with the best objectives, best first; ties by their numbers.
  std::vector<const LearnedPoint*> best_learned(Goal goal, std::size_t count) const;
  /// Distinct configurations among the observations.
  std::size_t points_observed() const;
  /// Evaluations of this run that ended, failures included.
  std::size_t evaluated_in_run() const { return evaluated_in_run_; }
  /// Failures of suggestions that were made after the last success: in the order of their ids, whenever they were
  /// told. What was cut off counts neither way, and what was told without a suggestion not at all.
  std::size_t failures_in_a_row() const;
  /// Observations whose cost is not known.
  std::size_t without_cost() const { return without_cost_; }

  HistoryState state() const;
  /// As the history was whose state it is; of one that holds nothing yet. Throws InvalidState where ids occur twice
  /// or were not given out, or what was learned was not observed first.
  void restore(HistoryState state);

 private:
  LearnedPoint learned_point(std::size_t observation) const;

  const Space& space_;
  Suggestions pending_;
  std::uint64_t given_out_ = 0;  ///< ids so far; those that are not pending have a result or were withdrawn
  std::vector<Observation> observations_;
  std::vector<std::optional<std::size_t>> pool_rows_;  ///< one an observation
  std::vector<LearnedPoint> learned_;
  std::vector<std::size_t> learned_order_;      ///< observation that each of them is
  std::unordered_set<std::uint64_t> observed_;  ///< hashes of those that were learned
  std::size_t evaluated_in_run_ = 0;
  std::size_t without_cost_ = 0;
};

/// The best success, the first of several; null where there is none.
const Observation* best_of(std::span<const Observation> observations, Goal goal);

}  // namespace carbo::internal
