#include "cost/linear_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <carbo/error.hpp>

#include "cost/huber_problem.hpp"
#include "cost/robust_scale.hpp"
#include "support/text.hpp"

namespace carbo::internal {
namespace {

// All of these are in the unit of residuals: of log cost, or of the median cost.
constexpr double unknown_spread = 1.0;
constexpr double converged_change = 1e-10;

// The loss is brought towards absolute errors in rounds that divide its cut.
constexpr int most_sharpenings = 12;
constexpr double sharpening = 0.25;
constexpr double first_cut_over_median = 1.0;
constexpr double last_cut_over_median = 0.1;
constexpr int steps_per_sharpening = 10;
constexpr double settled_change_over_cut = 0.5;
constexpr double largest_scale_over_median = 2.0;
constexpr int scale_updates = 50;
constexpr int last_steps = 100;
constexpr double smallest_relative_pivot = 1e-8;
constexpr double smallest_distance_from_full_leverage = 1e-8;

/// A problem in units near 1, with what its results are to be multiplied by.
struct ScaledProblem {
  HuberProblem problem;
  Eigen::VectorXd feature_sizes;  ///< k + 1: largest |value|, 1 where all are 0; 1 for the intercept
  double median_cost = 1;
};

struct Settled {
  HuberPoint point;
  double scale = 0;
};

/// The weighted problem where a fit has settled.
struct LastProblem {
  double cut;
  WeightedNormal normal;
  std::vector<Eigen::Index> free;  ///< coefficients that are not held at their bound
};

void check(const LinearData& data, const LinearFitOptions& options) {
  const std::size_t n = data.costs.size();
  if (n == 0 || data.features.rows != n || data.censored.size() != n ||
      options.work.size() != data.features.columns) {
    throw std::invalid_argument(text("fit_linear: ", n, " costs, ", data.censored.size(), " marks of censoring, ",
                                     data.features.rows, " rows of ", data.features.columns, " features and ",
                                     options.work.size(), " marks of work: one a cost and one a feature are needed"));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!(data.costs[i] > 0) || !std::isfinite(data.costs[i])) {
      throw NumericalError(
          text("linear cost model: cost ", i, " is ", data.costs[i], "; finite costs above 0 are needed"));
    }
    for (const double value : data.features.row(i)) {
      if (!std::isfinite(value)) {
        throw NumericalError(
            text("linear cost model: a feature of observation ", i, " is ", value, "; finite ones are needed"));
      }
    }
  }
}

/// Of the costs that are known in full, else of all.
double median_cost(const LinearData& data) {
  std::vector<double> costs;
  for (std::size_t i = 0; i < data.costs.size(); ++i) {
    if (!data.censored[i]) costs.push_back(data.costs[i]);
  }
  if (costs.empty()) costs.assign(data.costs.begin(), data.costs.end());
  const auto middle = costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2);
  std::nth_element(costs.begin(), middle, costs.end());
  return *middle;
}

ScaledProblem scaled(const LinearData& data, const LinearFitOptions& options) {
  const auto n = static_cast<Eigen::Index>(data.costs.size());
  const auto k = static_cast<Eigen::Index>(data.features.columns);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  ScaledProblem result;
  result.median_cost = median_cost(data);
  HuberProblem& problem = result.problem;
  problem.rows = Eigen::MatrixXd::Ones(n, k + 1);
  problem.rows.leftCols(k) = Eigen::Map<const RowMajor>(data.features.data, n, k);
  result.feature_sizes = problem.rows.cwiseAbs().colwise().maxCoeff().transpose();
  result.feature_sizes = (result.feature_sizes.array() > 0).select(result.feature_sizes, 1.0);
  problem.rows.array().rowwise() /= result.feature_sizes.transpose().array();
  problem.costs = Eigen::Map<const Eigen::VectorXd>(data.costs.data(), n) / result.median_cost;
  problem.log_costs = problem.costs.array().log();
  problem.censored.assign(data.censored.begin(), data.censored.end());
  problem.nonnegative.assign(options.work.begin(), options.work.end());
  const bool all_work = std::all_of(options.work.begin(), options.work.end(), [](auto mark) { return mark != 0; });
  problem.nonnegative.push_back(all_work ? 1 : 0);
  problem.error = options.error;
  problem.knee = problem.costs.minCoeff() * (all_work ? 1e-6 : 0.1);
  return result;
}

std::vector<double> uncensored(const HuberProblem& problem, const Eigen::VectorXd& values) {
  std::vector<double> kept;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (!problem.censored[static_cast<std::size_t>(i)]) kept.push_back(values[i]);
  }
  return kept;
}

/// Brings the point near the least sum of absolute residuals, which no few outliers move far. The first cut is set by
/// the median residual, so that outliers do not count in full even then.
void sharpen(const HuberProblem& problem, HuberPoint& point) {
  const auto median = [&point] {
    const auto count = static_cast<std::size_t>(point.residuals.size());
    return median_scale({point.residuals.data(), count}, count);
  };
  double cut = std::max(first_cut_over_median * median(), smallest_scale);
  for (int round = 0; round < most_sharpenings; ++round) {
    for (int step = 0; step < steps_per_sharpening; ++step) {
      if (descend(problem, cut, point) <= settled_change_over_cut * cut) break;
    }
    if (cut <= std::max(last_cut_over_median * median(), smallest_scale)) break;
    cut = std::max(cut * sharpening, smallest_scale);
  }
}

/// Relative errors have local minima: of three starts the one is taken that leaves most rows near 0 (the sum of roots
/// asks less of the few others than the sum of sizes). In plain differences low outliers hardly count, over costs
/// high ones, and a constant is led astray by neither.
HuberPoint robust_start(const HuberProblem& problem) {
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(problem.costs.size());
  HuberPoint best = nearest_point(problem, problem.costs, ones);
  sharpen(problem, best);
  if (problem.error == CostError::absolute) return best;
  const auto badness = [](const HuberPoint& point) { return point.residuals.cwiseAbs().cwiseSqrt().sum(); };
  for (HuberPoint rival :
       {nearest_point(problem, problem.costs, problem.costs), nearest_point(problem, ones, ones)}) {
    sharpen(problem, rival);
    if (badness(rival) < badness(best)) best = std::move(rival);
  }
  return best;
}

/// Observations less the directions that the free coefficients can move predictions in, at least 1.
std::size_t degrees_of_freedom(const HuberProblem& problem, const HuberPoint& point, std::size_t observed) {
  const WeightedNormal normal = weighted_normal(problem, point, std::numeric_limits<double>::infinity());
  const std::vector<Eigen::Index> free = free_coefficients(problem, point);
  Eigen::FullPivLU<Eigen::MatrixXd> factor(normal.hessian(free, free));
  factor.setThreshold(smallest_relative_pivot);
  const auto directions = static_cast<std::size_t>(factor.rank());
  return observed > directions ? observed - directions : 1;
}

/// Proposal 2 and the coefficients in turn: descents of one function, convex for absolute errors, as the degrees of
/// freedom are held. With few observations it can make one outlier the scale, so it is bounded by the median residual
/// of the robust start.
double settle_scale(const HuberProblem& problem, double threshold, HuberPoint& point) {
  std::vector<double> residuals = uncensored(problem, point.residuals);
  if (residuals.empty()) return unknown_spread;
  const std::size_t freedom = degrees_of_freedom(problem, point, residuals.size());
  const double largest = largest_scale_over_median * median_scale(residuals, freedom);
  double scale = 0;
  for (int update = 0; update < scale_updates; ++update) {
    const double last = scale;
    scale = std::min(proposal2_scale(residuals, static_cast<double>(freedom), threshold), largest);
    scale = std::max(scale, smallest_scale);
    const double change = descend(problem, threshold * scale, point);
    if (change <= converged_change && std::abs(scale - last) <= converged_change * scale) break;
    residuals = uncensored(problem, point.residuals);
  }
  return scale;
}

Settled settle(const HuberProblem& problem, double threshold, const std::optional<double>& given_scale) {
  Settled settled;
  settled.point = robust_start(problem);
  settled.scale =
      given_scale ? std::max(*given_scale, smallest_scale) : settle_scale(problem, threshold, settled.point);
  for (int step = 0; step < last_steps; ++step) {
    if (descend(problem, threshold * settled.scale, settled.point) <= converged_change) break;
  }
  return settled;
}

/// r / (1 − h) with h the leverage of a row in the last weighted problem.
Eigen::VectorXd left_out_residuals(const HuberProblem& problem, const Settled& settled, const LastProblem& last) {
  const auto& [cut, normal, free] = last;
  const Eigen::MatrixXd rows = problem.rows(Eigen::all, free) * normal.column_sizes(free).cwiseInverse().asDiagonal();
  const Eigen::LLT<Eigen::MatrixXd> factor(normal.hessian(free, free));
  const Eigen::MatrixXd whitened = factor.matrixL().solve(Eigen::MatrixXd(rows.transpose()));
  Eigen::VectorXd left_out(problem.costs.size());
  for (Eigen::Index i = 0; i < left_out.size(); ++i) {
    const double residual = settled.point.residuals[i];
    const double slope = settled.point.slopes[i];
    const double leverage = huber_weight(residual, cut) * slope * slope * whitened.col(i).squaredNorm();
    const double rest = 1.0 - leverage;
    left_out[i] =
        rest < smallest_distance_from_full_leverage ? std::numeric_limits<double>::infinity() : residual / rest;
    if (problem.censored[static_cast<std::size_t>(i)]) left_out[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return left_out;
}

double spread_of(const Eigen::VectorXd& left_out, double scale, double threshold) {
  std::vector<double> finite;
  std::copy_if(left_out.begin(), left_out.end(), std::back_inserter(finite),
               [](double r) { return std::isfinite(r); });
  if (finite.size() < 2) return std::max(unknown_spread, scale);
  return std::max(proposal2_scale(finite, static_cast<double>(finite.size()), threshold), scale);
}

/// p × p, over spread², of coefficients in the units of the problem.
Eigen::MatrixXd covariance_of(const HuberProblem& problem, const Settled& settled, const LastProblem& last,
                              double spread) {
  const auto& [cut, normal, free] = last;
  const auto rows = static_cast<double>(problem.costs.size());
  Eigen::MatrixXd precision = normal.hessian(free, free);
  for (std::size_t f = 0; f < free.size(); ++f) {
    const auto j = static_cast<Eigen::Index>(f);
    const double moves = settled.point.slopes.cwiseProduct(problem.rows.col(free[f])).squaredNorm() / rows;
    const double size = normal.column_sizes[free[f]];
    precision(j, j) += spread * spread / (unknown_spread * unknown_spread) * moves / (size * size);
  }
  const Eigen::VectorXd inverse_sizes = normal.column_sizes(free).cwiseInverse();
  const auto count = static_cast<Eigen::Index>(free.size());
  const Eigen::MatrixXd inverse = precision.llt().solve(Eigen::MatrixXd::Identity(count, count));
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(problem.rows.cols(), problem.rows.cols());
  covariance(free, free) = inverse_sizes.asDiagonal() * inverse * inverse_sizes.asDiagonal();
  return covariance;
}

}  // namespace

LinearFit fit_linear(const LinearData& data, const LinearFitOptions& options) {
  check(data, options);
  const ScaledProblem units = scaled(data, options);
  const HuberProblem& problem = units.problem;
  const double residual_unit = options.error == CostError::absolute ? units.median_cost : 1.0;
  std::optional<double> given_scale = options.scale;
  if (given_scale) *given_scale /= residual_unit;

  const Settled settled = settle(problem, options.threshold, given_scale);
  const double cut = options.threshold * settled.scale;
  const LastProblem last{cut, weighted_normal(problem, settled.point, cut),
                         free_coefficients(problem, settled.point)};
  const Eigen::VectorXd left_out = left_out_residuals(problem, settled, last);
  const double spread = spread_of(left_out, settled.scale, options.threshold);
  const Eigen::MatrixXd covariance = covariance_of(problem, settled, last, spread);

  const Eigen::VectorXd unit = units.median_cost * units.feature_sizes.cwiseInverse();
  const Eigen::VectorXd coefficients = settled.point.coefficients.cwiseProduct(unit);
  const Eigen::VectorXd covariance_unit = unit / residual_unit;
  const Eigen::MatrixXd product = covariance_unit.asDiagonal() * covariance * covariance_unit.asDiagonal();
  // One entry stands for both of a pair, which are rounded apart from each other.
  const Eigen::MatrixXd scaled_covariance = product.selfadjointView<Eigen::Lower>();
  if (!coefficients.allFinite() || !scaled_covariance.allFinite()) {
    throw NumericalError("linear cost model: its coefficients overflow; features nearer to 1 are needed");
  }
  LinearFit fit;
  const auto k = static_cast<Eigen::Index>(data.features.columns);
  fit.coefficients.assign(coefficients.begin(), coefficients.begin() + k);
  fit.intercept = coefficients[k];
  fit.knee = problem.knee * units.median_cost;
  fit.scale = settled.scale * residual_unit;
  fit.spread = spread * residual_unit;
  const Eigen::VectorXd scaled_left_out = left_out * residual_unit;
  fit.left_out.assign(scaled_left_out.begin(), scaled_left_out.end());
  fit.covariance.assign(scaled_covariance.data(), scaled_covariance.data() + scaled_covariance.size());
  return fit;
}

}  // namespace carbo::internal
