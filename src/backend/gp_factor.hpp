#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "backend/matrix_view.hpp"

namespace carbo::internal {

/// Covariance and mean of one GP: k(a, b) = signal_variance · Matern52(|(a − b) ∘ inverse_lengthscales|).
struct GpParameters {
  std::vector<double> inverse_lengthscales;  ///< one an encoded column
  double signal_variance = 1;
  double noise_variance = 0;
  double mean = 0;
};

/// One log marginal likelihood to compute, with its gradient.
struct LikelihoodRequest {
  MatrixView points;                       ///< n × columns
  std::span<const double> targets;         ///< n
  std::span<const int> column_groups;      ///< lengthscale that each column uses, in [0, groups)
  std::span<const double> log_parameters;  ///< groups log lengthscales, log signal variance, log noise variance
  std::optional<double> mean;              ///< generalised least squares where absent
  /// Observations that each row's target is the mean of, n: its noise variance is divided by them. Empty: one each.
  std::span<const double> counts{};
};

struct LikelihoodValue {
  double log_likelihood = -std::numeric_limits<double>::infinity();  ///< −inf where the factor failed at all jitters
  std::vector<double> gradient;                                      ///< with respect to log_parameters
  double mean = 0;                                                   ///< used or estimated
  double jitter = 0;                                                 ///< relative to the mean diagonal
};

struct LeaveOneOut {
  std::vector<double> mean;      ///< prediction of each target from all others
  std::vector<double> variance;  ///< of the target, noise included
};

/// A GP at fixed hyperparameters, resident on the backend: X, L = chol(K + σ²C⁻¹), w = L⁻¹(y − prior mean), with C
/// the observations that each target is the mean of: 1 but for copies of a point. The prior mean is parameters().mean
/// and what a background adds to it.
/// Fantasised points follow the observed ones; each holds one whitened value a fantasy.
class GpFactor {
 public:
  virtual ~GpFactor() = default;
  virtual const GpParameters& parameters() const = 0;
  virtual std::size_t observed() const = 0;
  virtual std::size_t fantasised() const = 0;
  /// Relative to the mean diagonal; 0 where none was needed.
  virtual double jitter() const = 0;
  /// Replaces all observed targets. O(n²). Requires that nothing is fantasised.
  virtual void set_targets(std::span<const double> targets) = 0;
  /// Adds Σ_j weights_j k(points_j, ·) to the prior mean, in place of what was added before: points that the mean
  /// knows and the variance does not. Targets stay. None: an empty view. O(points · n + n²). Requires that nothing is
  /// fantasised.
  virtual void set_background(MatrixView points, std::span<const double> weights) = 0;
  /// Σ_j c(x_i, x_j) weights_j over all pairs of `points`, with c the posterior covariance of the noise-free
  /// function; fantasised points not counted. O(points · (points + n) + n²).
  virtual std::vector<double> posterior_products(MatrixView points, std::span<const double> weights) const = 0;
  /// Adds an observed point, of one observation (its target counts as the prior mean until set_targets). Requires
  /// that nothing is fantasised. False where the pivot is not positive at this jitter: the factor is unchanged then.
  virtual bool append(std::span<const double> point) = 0;
  /// The same of several in turn, up to the first that has no positive pivot. Returns how many were added; where it
  /// throws, observed() tells.
  virtual std::size_t append_all(MatrixView points) {
    std::size_t added = 0;
    while (added < points.rows && append(points.row(added))) ++added;
    return added;
  }
  /// Conditions on a point whose result is not known, with one standard normal z a fantasy: as many in every call
  /// until drop_fantasies. Returns the fantasised values y* = μ⁽ⁱ⁾(x*) + ℓ·z_i, noise included.
  virtual std::vector<double> fantasise(std::span<const double> point, std::span<const double> normals) = 0;
  /// Forgets all fantasised points.
  virtual void drop_fantasies() = 0;
  /// Posterior of the noise-free function, fantasised points not counted. Meant for a few points, but for many where
  /// `variance` is empty: only means are computed then, in another order of sums.
  virtual void predict(MatrixView points, std::span<double> mean, std::span<double> variance) const = 0;
  /// Lowest posterior mean over observed and fantasised points; one value a fantasy (one where there is none).
  virtual std::vector<double> lowest_fitted_mean() const = 0;
  virtual LeaveOneOut leave_one_out() const = 0;
};

}  // namespace carbo::internal
