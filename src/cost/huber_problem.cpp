#include "cost/huber_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <carbo/error.hpp>

#include "cost/nonnegative_least_squares.hpp"
#include "cost/robust_scale.hpp"
#include "formulas/linear_cost.hpp"

namespace carbo::internal {
namespace {

// Relative to each diagonal entry, as a pull to the coefficients of the last step: it slows the descent in directions
// that the data hardly determine, and moves its end only there.
constexpr double ridge = 1e-10;
constexpr double sufficient_decrease = 1e-4;  // Armijo
constexpr double loss_rounding = 1e-14;       // of a sum over the rows
constexpr int halvings = 30;

HuberPoint point_at(const HuberProblem& problem, Eigen::VectorXd coefficients) {
  HuberPoint point;
  point.coefficients = std::move(coefficients);
  const Eigen::VectorXd sums = problem.rows * point.coefficients;
  if (problem.error == CostError::absolute) {
    point.residuals = problem.costs - sums;
    point.slopes = Eigen::VectorXd::Ones(sums.size());
  } else {
    point.residuals.resize(sums.size());
    point.slopes.resize(sums.size());
    for (Eigen::Index i = 0; i < sums.size(); ++i) {
      const kernels::LogLinearCost predicted = kernels::log_linear_cost(sums[i], problem.knee);
      point.residuals[i] = problem.log_costs[i] - predicted.value;
      point.slopes[i] = predicted.slope;
    }
  }
  for (Eigen::Index i = 0; i < sums.size(); ++i) {
    if (problem.censored[static_cast<std::size_t>(i)] && point.residuals[i] < 0) {
      point.residuals[i] = 0;
      point.slopes[i] = 0;
    }
  }
  return point;
}

/// Of the least-squares problem min ‖ scaled rows · step − residuals ‖, rows scaled by `sizes`.
WeightedNormal normal_of(const Eigen::MatrixXd& rows, const Eigen::VectorXd& sizes,
                         const Eigen::VectorXd& residuals) {
  const Eigen::MatrixXd scaled = sizes.asDiagonal() * rows;
  WeightedNormal normal;
  normal.column_sizes = scaled.colwise().norm().transpose();
  if (!normal.column_sizes.allFinite() || !residuals.allFinite()) {
    throw NumericalError(
        "linear cost model: features, costs or their ratios overflow; features within 1e150 of each other and costs "
        "within a factor of 1e100 can be fitted");
  }
  normal.column_sizes = (normal.column_sizes.array() > 0).select(normal.column_sizes, 1.0);
  const Eigen::VectorXd inverse = normal.column_sizes.cwiseInverse();
  const Eigen::MatrixXd unit_columns = scaled * inverse.asDiagonal();
  normal.hessian = unit_columns.transpose() * unit_columns;
  normal.hessian.diagonal().setConstant(1.0 + ridge);
  normal.descent = unit_columns.transpose() * residuals;
  return normal;
}

HuberPoint moved(const HuberProblem& problem, const HuberPoint& from, const WeightedNormal& normal,
                 const Eigen::VectorXd& step, double length) {
  const Eigen::VectorXd unknowns = normal.column_sizes.cwiseProduct(from.coefficients) + length * step;
  Eigen::VectorXd coefficients = unknowns.cwiseQuotient(normal.column_sizes);
  for (Eigen::Index j = 0; j < coefficients.size(); ++j) {
    if (problem.nonnegative[static_cast<std::size_t>(j)]) coefficients[j] = std::max(coefficients[j], 0.0);
  }
  return point_at(problem, std::move(coefficients));
}

Eigen::VectorXd bounded_step(const HuberProblem& problem, const HuberPoint& point, const WeightedNormal& normal) {
  const Eigen::VectorXd unknowns = normal.column_sizes.cwiseProduct(point.coefficients);
  return nonnegative_step(normal.hessian, normal.descent, unknowns, problem.nonnegative);
}

}  // namespace

HuberPoint nearest_point(const HuberProblem& problem, const Eigen::VectorXd& targets, const Eigen::VectorXd& sizes) {
  const Eigen::VectorXd inverse = sizes.cwiseInverse();
  HuberPoint origin;
  origin.coefficients = Eigen::VectorXd::Zero(problem.rows.cols());
  const WeightedNormal normal = normal_of(problem.rows, inverse, targets.cwiseProduct(inverse));
  return moved(problem, origin, normal, bounded_step(problem, origin, normal), 1.0);
}

double total_loss(const HuberPoint& point, double cut) {
  double sum = 0;
  for (const double residual : point.residuals) sum += huber_loss(residual, cut);
  return sum;
}

WeightedNormal weighted_normal(const HuberProblem& problem, const HuberPoint& point, double cut) {
  Eigen::VectorXd sizes(point.residuals.size());
  Eigen::VectorXd residuals(point.residuals.size());
  for (Eigen::Index i = 0; i < sizes.size(); ++i) {
    const double root = std::sqrt(huber_weight(point.residuals[i], cut));
    sizes[i] = root * point.slopes[i];
    residuals[i] = root * point.residuals[i];
  }
  return normal_of(problem.rows, sizes, residuals);
}

double descend(const HuberProblem& problem, double cut, HuberPoint& point) {
  const WeightedNormal normal = weighted_normal(problem, point, cut);
  const Eigen::VectorXd step = bounded_step(problem, point, normal);
  const double loss = total_loss(point, cut);
  const double decrease = normal.descent.dot(step);
  double length = 1.0;
  for (int halving = 0; halving <= halvings; ++halving, length *= 0.5) {
    HuberPoint trial = moved(problem, point, normal, step, length);
    const double allowed = loss - sufficient_decrease * length * decrease + loss_rounding * loss;
    if (!(total_loss(trial, cut) <= allowed)) continue;
    const double change = (trial.residuals - point.residuals).cwiseAbs().maxCoeff();
    point = std::move(trial);
    return change;
  }
  return 0.0;
}

std::vector<Eigen::Index> free_coefficients(const HuberProblem& problem, const HuberPoint& point) {
  std::vector<Eigen::Index> free;
  for (Eigen::Index j = 0; j < problem.rows.cols(); ++j) {
    const bool held = problem.nonnegative[static_cast<std::size_t>(j)] && !(point.coefficients[j] > 0);
    if (!held && problem.rows.col(j).cwiseAbs().maxCoeff() > 0) free.push_back(j);
  }
  return free;
}

}  // namespace carbo::internal
