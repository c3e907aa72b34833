#pragma once

#include <cstddef>
#include <optional>

#include <carbo/options.hpp>
#include <carbo/run_state.hpp>

#include "support/tree_reader.hpp"

namespace carbo::internal {

/// What the plan of the initial design looks at before each `ask`.
struct DesignState {
  std::size_t points = 0;  ///< evaluated (prior data included), running or just chosen
  std::size_t served = 0;  ///< of the caller's points, those just chosen or passed over
  double spent = 0;
  double committed = 0;         ///< predicted cost of what is running
  std::size_t evaluations = 0;  ///< of this run, what is running included
};

/// How far an InitialDesignPlan is.
struct DesignPlanState {
  std::size_t points_served = 0;
  bool ended = false;
  std::optional<DesignEnd> why_ended{};
  std::optional<double> gain{};
  std::optional<double> spent_at_end{};
};

Tree tree_of(const DesignPlanState& state);
/// Throws InvalidState where a number cannot be.
DesignPlanState read_design_plan_state(const TreeReader& reader);

/// Decides which phase the next suggestions belong to and when the initial design is over. Once it is over it
/// stays over.
class InitialDesignPlan {
 public:
  explicit InitialDesignPlan(const Options& options);

  /// Whether the next suggestion belongs to the search.
  bool over(const DesignState& state) const;
  /// From now on it does, whatever the state; why, where that is known. Only the first call counts.
  void end(std::optional<DesignEnd> why) {
    if (!ended_) why_ended_ = why;
    ended_ = true;
  }
  bool ended() const { return ended_; }
  std::optional<DesignEnd> why_ended() const { return why_ended_; }
  /// Why it is over where the state says so.
  DesignEnd usual_end() const { return races() ? DesignEnd::share : DesignEnd::served; }
  /// Whether Algorithm 1 follows the uniform draws.
  bool races() const;
  /// Whether that may end before its share is spent, by what its next point would teach.
  bool stops_early() const;
  /// Whether a point that teaches so much (see design_gain) is worth a place in the design.
  bool worth(double gain) const { return gain >= options_.design.least_gain; }
  /// What the point that was looked at last would teach.
  std::optional<double> gain() const { return gain_; }
  void note_gain(double gain) { gain_ = gain; }
  /// τ_k of the design's share and of the cooling, in the unit of the budget: the larger of what is spent and
  /// committed and, where evaluations are limited, too, their share of the budget.
  double used(const DesignState& state) const;
  /// τ_init of the cooling: what was used when the first point of the search was chosen; before that, what is now.
  double spent_at_end(double used_now) const { return spent_at_end_.value_or(used_now); }
  /// A point of the search was chosen. Only the first call counts.
  void settle_spent(double used_now) {
    if (!spent_at_end_) spent_at_end_ = used_now;
  }
  bool settled() const { return spent_at_end_.has_value(); }

  /// Uniform draws that are still owed.
  std::size_t warm_start_left(std::size_t points) const;
  /// The caller's points that were not handed out yet.
  std::size_t points_left() const { return options_.design.points.size() - points_served_; }
  const Configuration& point(std::size_t i) const { return options_.design.points[points_served_ + i]; }
  void serve_points(std::size_t count) { points_served_ += count; }

  DesignPlanState state() const { return {points_served_, ended_, why_ended_, gain_, spent_at_end_}; }
  /// Throws InvalidState where more points were served than there are.
  void restore(const DesignPlanState& state);

 private:
  const Options& options_;
  std::size_t warm_start_;
  std::size_t points_served_ = 0;
  bool ended_ = false;
  std::optional<DesignEnd> why_ended_;
  std::optional<double> gain_;
  std::optional<double> spent_at_end_;
};

}  // namespace carbo::internal
