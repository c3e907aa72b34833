#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace carbo::internal {

struct MinimizerSettings {
  std::size_t max_evaluations = 150;
  double gradient_tolerance = 1e-5;  ///< largest entry of the projected gradient
  double decrease_tolerance = 1e-8;  ///< decrease of a step, predicted or made, relative to max(1, |value|)
  double first_step = 0.5;           ///< largest entry of the first step where no curvature is given
  double largest_step = 3.0;         ///< largest entry of any step
};

/// Minimises a smooth function inside a box by a quasi-Newton method, as a state machine: evaluate at `point()`,
/// `tell` the result, until `done()`. Many of them can so advance in lockstep.
///
/// A step solves the quadratic model (dense BFGS, kept positive definite by damping) with the bounds as an active
/// set, then searches the straight line to its solution for sufficient decrease and curvature. A value or
/// gradient that is not finite counts as a step too long. Dimension up to about a hundred.
class BoundedMinimizer {
 public:
  /// `start` is clamped into the box. `curvature`: a symmetric estimate of the Hessian at the start, p × p; it is
  /// made positive definite. Throws std::invalid_argument where sizes differ or a bound is crossed or not finite.
  BoundedMinimizer(std::span<const double> start, std::span<const double> lower, std::span<const double> upper,
                   MinimizerSettings settings = {}, const std::optional<Eigen::MatrixXd>& curvature = std::nullopt);

  bool done() const { return done_; }
  /// Where the next value and gradient are wanted.
  std::span<const double> point() const { return as_span(trial_.point); }
  /// Value (infinity or NaN where the evaluation failed) and gradient at `point()`.
  void tell(double value, std::span<const double> gradient);

  /// Lowest point so far; the value is infinite where every evaluation failed.
  std::span<const double> best_point() const { return as_span(current_.point); }
  double best_value() const { return current_.value; }
  std::size_t evaluations() const { return evaluations_; }

 private:
  struct Iterate {
    Eigen::VectorXd point;
    Eigen::VectorXd gradient;
    double value = std::numeric_limits<double>::infinity();
    double length = 0;  ///< multiple of the direction, from the current iterate
    double slope = 0;   ///< along the direction
  };

  static std::span<const double> as_span(const Eigen::VectorXd& v) {
    return {v.data(), static_cast<std::size_t>(v.size())};
  }

  void start_line_search();
  void continue_line_search();
  void try_length(double length);
  double longest_length() const;
  void accept(const Iterate& iterate);
  void give_up_line();
  void learn_curvature(const Eigen::VectorXd& step, const Eigen::VectorXd& gradient_change);
  void forget_curvature();
  bool held_at_bound(Eigen::Index i) const;
  double projected_gradient() const;
  double tolerance() const;
  std::optional<Eigen::VectorXd> model_step() const;
  Eigen::VectorXd gradient_step() const;

  MinimizerSettings settings_;
  Eigen::VectorXd lower_, upper_;
  Iterate current_;              ///< last accepted
  Iterate trial_;                ///< being evaluated
  Iterate low_;                  ///< longest step of this line known to decrease enough but not to be long enough
  std::optional<Iterate> high_;  ///< shortest step of this line known to be too long; value may be infinite
  Eigen::VectorXd direction_;
  Eigen::MatrixXd hessian_;  ///< positive definite
  bool curvature_learned_ = false;
  bool started_ = false;
  bool done_ = false;
  std::size_t trials_ = 0;       ///< of this line
  std::size_t small_steps_ = 0;  ///< accepted in a row
  std::size_t evaluations_ = 0;
};

}  // namespace carbo::internal
