#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <span>
#include <vector>

#include <carbo/cost.hpp>

namespace carbo::internal {

/// The Huber fit of costs by a sum of features, in units in which both are near 1. Coefficients are p = k + 1
/// numbers, the intercept last. Residuals are log(cost / prediction) or cost − sum; that of a censored cost is 0
/// where the prediction reaches it.
struct HuberProblem {
  Eigen::MatrixXd rows;                   ///< n × p: features over their largest size, then a column of 1
  Eigen::VectorXd costs;                  ///< n, over their median
  Eigen::VectorXd log_costs;              ///< n
  std::vector<std::uint8_t> censored;     ///< n
  std::vector<std::uint8_t> nonnegative;  ///< p: 1 where the coefficient is kept at 0 or above
  CostError error = CostError::relative;
  double knee = 0;  ///< see log_linear_cost, over the median cost
};

/// Coefficients with the residuals that they leave.
struct HuberPoint {
  Eigen::VectorXd coefficients;  ///< p
  Eigen::VectorXd residuals;     ///< n
  Eigen::VectorXd slopes;        ///< n: of the prediction, in the unit of residuals, along the sum of features
};

/// The least-squares problem that touches the Huber loss at a point: rows · (slope · √weight), in columns of size 1.
struct WeightedNormal {
  Eigen::MatrixXd hessian;       ///< p × p, diagonal 1 + ridge
  Eigen::VectorXd column_sizes;  ///< p: coefficients times these are its unknowns; 1 where a column is 0
  Eigen::VectorXd descent;       ///< p: minus the gradient of the loss along the unknowns
};

/// Where to start from: the smallest coefficients that come nearest to `targets` in least squares over `sizes`.
HuberPoint nearest_point(const HuberProblem& problem, const Eigen::VectorXd& targets, const Eigen::VectorXd& sizes);

/// Σ of the Huber loss of the residuals, quadratic up to `cut`.
double total_loss(const HuberPoint& point, double cut);

WeightedNormal weighted_normal(const HuberProblem& problem, const HuberPoint& point, double cut);

/// One reweighted least-squares (Gauss–Newton) step, shortened until the loss does not rise. Returns the largest
/// change of a prediction, in the unit of residuals: 0 where no step lowers the loss.
double descend(const HuberProblem& problem, double cut, HuberPoint& point);

/// Coefficients that are not held at their bound. Columns of 0 are not counted.
std::vector<Eigen::Index> free_coefficients(const HuberProblem& problem, const HuberPoint& point);

}  // namespace carbo::internal
