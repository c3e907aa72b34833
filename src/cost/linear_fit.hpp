#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <carbo/cost.hpp>

#include "backend/matrix_view.hpp"
#include "cost/robust_scale.hpp"

namespace carbo::internal {

/// Costs and the features that they are explained by.
struct LinearData {
  MatrixView features;                     ///< n × k
  std::span<const double> costs;           ///< n, above 0
  std::span<const std::uint8_t> censored;  ///< n: 1 where the full cost is at least the one given
};

struct LinearFitOptions {
  CostError error = CostError::relative;
  std::span<const std::uint8_t> work;  ///< k: 1 where the coefficient is kept at 0 or above
  /// Residuals beyond so many scales count linearly.
  double threshold = huber_threshold;
  std::optional<double> scale{};  ///< of residuals (cost or log cost), where it is not to be estimated
};

/// c(x) = positive(Σ c_j φ_j(x) + c₀), see log_linear_cost. Residuals are log(cost / prediction) or cost −
/// prediction.
struct LinearFit {
  std::vector<double> coefficients;  ///< k; 0 where a feature is 0 in all rows
  double intercept = 0;              ///< 0 or above where all features are work
  /// See log_linear_cost. Of the smallest cost: 1e-6 where all features are work, a tenth otherwise.
  double knee = 0;
  /// Of the residuals, robust: what the loss was cut at. At least 1e-6, in log cost or times the median cost.
  double scale = 0;
  /// Of a prediction: robust scale of the left-out residuals, at least `scale`. Where fewer than two of them are
  /// finite nothing is known of it: 1 in log cost, or the median cost.
  double spread = 0;
  /// Residual of each cost from a fit to all others (by leverage); NaN where censored, infinite where the others say
  /// nothing of it.
  std::vector<double> left_out;
  /// (k + 1) × (k + 1), intercept last: spread²·φᵀCφ is the variance of the sum of features at φ that the
  /// coefficients cause. With a prior under which a coefficient alone moves the predictions of the data by 1 in log
  /// cost, or by the median cost (root mean square), so that what the data do not determine stays bounded. 0 where a
  /// coefficient is held at its bound or its feature is 0 in all rows.
  std::vector<double> covariance;
};

/// Huber regression by iteratively reweighted least squares, coefficients of work kept at 0 or above. A censored cost
/// counts only where the prediction lies below it. Defined for every n ≥ 1 and every k ≥ 0: directions that the data
/// do not determine take the smallest coefficients (of features in columns of equal norm).
///
/// The scale is Huber's Proposal 2, at most twice the median residual of a start near the least absolute errors, so
/// that one outlier among few costs is not taken for the scale. As with every Huber fit, an outlier at the edge of
/// few observations, where its features alone say what it should cost, still moves the fit.
///
/// Throws NumericalError where a feature or cost is not finite, a cost is not above 0, or they overflow;
/// std::invalid_argument where sizes do not match or there is no cost.
LinearFit fit_linear(const LinearData& data, const LinearFitOptions& options);

}  // namespace carbo::internal
