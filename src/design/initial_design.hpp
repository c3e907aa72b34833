#pragma once

#include <cstddef>
#include <optional>

#include <carbo/optimizer.hpp>
#include <carbo/options.hpp>

namespace carbo::internal {

/// What the plan of the initial design looks at before each `ask`.
struct DesignState {
  std::size_t points = 0;  ///< evaluated (prior data included) or running
  double spent = 0;
  double committed = 0;  ///< predicted cost of what is running
};

/// Decides which phase the next suggestions belong to and when the initial design is over. Once it is over it
/// stays over.
class InitialDesignPlan {
 public:
  explicit InitialDesignPlan(const Options& options);

  /// Brings the plan up to date at the start of an `ask`.
  void update(const DesignState& state);
  /// Ends the design early: no candidate is left for it.
  void end() { over_ = true; }
  bool over() const { return over_; }
  /// τ_init of the cooling: what was spent when the first point of the search was chosen. The first call
  /// settles it.
  double spent_at_end(double spent_now);

  /// Uniform draws that are still owed.
  std::size_t warm_start_left(std::size_t points) const;
  /// The caller's points that were not handed out yet; `serve_point` hands out the next one.
  std::size_t points_left() const { return options_.design.points.size() - points_served_; }
  const Configuration& next_point() const { return options_.design.points[points_served_]; }
  void serve_point() { ++points_served_; }

 private:
  const Options& options_;
  std::size_t warm_start_;
  std::size_t points_served_ = 0;
  bool over_ = false;
  std::optional<double> spent_at_end_;
};

}  // namespace carbo::internal
