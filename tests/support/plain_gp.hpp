#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace carbo::test {

/// A GP by the textbook, in plain loops: Gaussian elimination with the whole covariance for every prediction.
class PlainGp {
 public:
  using Point = std::vector<double>;

  PlainGp(std::vector<Point> points, std::vector<double> targets, Point lengthscales, double signal, double noise,
          double mean)
      : points_(std::move(points)),
        targets_(std::move(targets)),
        lengthscales_(std::move(lengthscales)),
        signal_(signal),
        noise_(noise),
        mean_(mean) {}

  /// Mean and variance of the noise-free function.
  std::pair<double, double> predict(const Point& at) const {
    std::vector<double> with(points_.size()), residuals(targets_);
    for (std::size_t i = 0; i < points_.size(); ++i) with[i] = covariance(points_[i], at);
    for (double& one : residuals) one -= mean_;
    const std::vector<double> weights = solve(residuals), reduction = solve(with);
    double mean = mean_, variance = signal_;
    for (std::size_t i = 0; i < with.size(); ++i) {
      mean += with[i] * weights[i];
      variance -= with[i] * reduction[i];
    }
    return {mean, variance};
  }

 private:
  double covariance(const Point& a, const Point& b) const {
    double squared = 0;
    for (std::size_t c = 0; c < a.size(); ++c) squared += std::pow((a[c] - b[c]) / lengthscales_[c], 2);
    const double r = std::sqrt(squared);
    return signal_ * (1 + std::sqrt(5.0) * r + 5.0 / 3.0 * squared) * std::exp(-std::sqrt(5.0) * r);
  }

  std::vector<double> solve(std::vector<double> right) const {
    const std::size_t n = points_.size();
    std::vector<std::vector<double>> matrix(n, std::vector<double>(n));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) matrix[i][j] = covariance(points_[i], points_[j]) + (i == j ? noise_ : 0);
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t i = p + 1; i < n; ++i) {
        const double factor = matrix[i][p] / matrix[p][p];
        for (std::size_t j = p; j < n; ++j) matrix[i][j] -= factor * matrix[p][j];
        right[i] -= factor * right[p];
      }
    }
    for (std::size_t p = n; p-- > 0;) {
      for (std::size_t j = p + 1; j < n; ++j) right[p] -= matrix[p][j] * right[j];
      right[p] /= matrix[p][p];
    }
    return right;
  }

  std::vector<Point> points_;
  std::vector<double> targets_;
  Point lengthscales_;
  double signal_, noise_, mean_;
};

}  // namespace carbo::test
