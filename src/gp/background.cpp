#include "gp/background.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "backend/row_noise.hpp"
#include "formulas/variance_floor.hpp"

namespace carbo::internal {
namespace {

/// Residuals, relative to those without a background, at which weights are good enough.
constexpr double residuals_left = 0.01;
/// Noise-free rows may ask for hundreds of products; many rows get fewer, which a covariance each bounds.
constexpr double most_covariances = 1e11;
constexpr double fewest_products = 50;
constexpr double most_products = 300;
/// Weights that go on from others are nearly there.
constexpr std::size_t products_from_start = 16;

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

void add(Vector& to, double factor, const Vector& other) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * other[i];
}

/// (C + N)v.
Vector product(const GpFactor& factor, const TrainingData& left_out, const Vector& v) {
  const GpParameters& parameters = factor.parameters();
  const double jitter = factor.jitter() * (parameters.signal_variance + parameters.noise_variance);
  const RowNoise noise{parameters.noise_variance, jitter, left_out.counts};
  Vector result = factor.posterior_products(left_out.view(), v);
  for (std::size_t i = 0; i < v.size(); ++i) result[i] += noise.at(i) * v[i];
  return result;
}

struct Solution {
  Vector weights;
  Vector residuals;
  std::size_t products;  ///< that may follow
};

std::size_t products_from_nothing(std::size_t rows) {
  const double covariances = static_cast<double>(rows) * static_cast<double>(rows);
  return static_cast<std::size_t>(std::clamp(most_covariances / covariances, fewest_products, most_products));
}

/// `start` where vᵀ(C + N)v/2 − vᵀr, what conjugate gradients lower, is less than the 0 of no weights.
Solution first_solution(const GpFactor& factor, const TrainingData& left_out, Vector residuals,
                        std::span<const double> start) {
  const std::size_t rows = factor.observed() + left_out.size();
  Solution none{Vector(residuals.size(), 0.0), std::move(residuals), products_from_nothing(rows)};
  if (start.empty()) return none;
  const Vector weights(start.begin(), start.end());
  const Vector explained = product(factor, left_out, weights);
  if (!(dot(weights, explained) / 2 < dot(weights, none.residuals))) return none;
  add(none.residuals, -1.0, explained);
  return {weights, std::move(none.residuals), products_from_start};
}

}  // namespace

std::vector<double> learn_background(GpFactor& factor, const TrainingData& left_out, std::span<const double> start) {
  factor.set_background({}, {});
  Vector residuals(left_out.size());
  factor.predict(left_out.view(), residuals, {});
  for (std::size_t i = 0; i < residuals.size(); ++i) residuals[i] = left_out.targets[i] - residuals[i];
  const double enough = residuals_left * residuals_left * dot(residuals, residuals);
  Solution found = first_solution(factor, left_out, std::move(residuals), start);
  // Of rᵀCr over rᵀr: below it a curvature is made of rounding, and so would be the step.
  const double rounding = kernels::variance_floor(factor.parameters().signal_variance,
                                                  static_cast<double>(factor.observed() + left_out.size()));
  Vector direction = found.residuals;
  double squares = dot(direction, direction);
  for (std::size_t products = 0; squares > enough && products < found.products; ++products) {
    const Vector image = product(factor, left_out, direction);
    const double curvature = dot(direction, image);
    if (!(curvature > rounding * dot(direction, direction))) break;
    add(found.weights, squares / curvature, direction);
    add(found.residuals, -squares / curvature, image);
    const double before = std::exchange(squares, dot(found.residuals, found.residuals));
    for (std::size_t i = 0; i < direction.size(); ++i)
      direction[i] = found.residuals[i] + squares / before * direction[i];
  }
  factor.set_background(left_out.view(), found.weights);
  return std::move(found.weights);
}

}  // namespace carbo::internal
