#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Plain dense Gaussian-process algebra in long double, written apart from the product: Gauss–Jordan inverse, no
/// factor, no blocks. For matrices of up to a few hundred rows.
namespace oracle {

using Real = long double;
using Vector = std::vector<Real>;
using Matrix = std::vector<Vector>;
using Points = std::vector<std::vector<double>>;

struct Gp {
  std::vector<double> lengthscales;
  double signal = 1;
  double noise = 0;  ///< everything on the diagonal, jitter included
  double mean = 0;
};

inline Real covariance(const Gp& gp, const std::vector<double>& a, const std::vector<double>& b) {
  Real r2 = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    const Real d = (static_cast<Real>(a[c]) - static_cast<Real>(b[c])) / static_cast<Real>(gp.lengthscales[c]);
    r2 += d * d;
  }
  const Real s = std::sqrt(static_cast<Real>(5) * r2);
  return static_cast<Real>(gp.signal) * (1 + s + s * s / 3) * std::exp(-s);
}

inline Matrix gram(const Gp& gp, const Points& x) {
  Matrix k(x.size(), Vector(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j)
      k[i][j] = covariance(gp, x[i], x[j]) + (i == j ? static_cast<Real>(gp.noise) : 0);
  return k;
}

struct Inverse {
  Matrix matrix;
  Real log_determinant = 0;
};

/// Gauss–Jordan without pivoting; the matrices here are positive definite.
inline Inverse invert(Matrix a) {
  const std::size_t n = a.size();
  Inverse result;
  result.matrix.assign(n, Vector(n, 0));
  for (std::size_t i = 0; i < n; ++i) result.matrix[i][i] = 1;
  for (std::size_t k = 0; k < n; ++k) {
    const Real pivot = a[k][k];
    result.log_determinant += std::log(pivot);
    for (std::size_t j = 0; j < n; ++j) {
      a[k][j] /= pivot;
      result.matrix[k][j] /= pivot;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const Real factor = a[i][k];
      for (std::size_t j = 0; j < n; ++j) {
        a[i][j] -= factor * a[k][j];
        result.matrix[i][j] -= factor * result.matrix[k][j];
      }
    }
  }
  return result;
}

struct Posterior {
  Real mean = 0;
  Real variance = 0;
};

/// Posteriors of the noise-free function, the inverse taken once.
class Regression {
 public:
  Regression(Gp gp, Points x, std::vector<double> y) : gp_(std::move(gp)), x_(std::move(x)) {
    inverse_ = invert(gram(gp_, x_));
    for (const double value : y) residual_.push_back(static_cast<Real>(value) - static_cast<Real>(gp_.mean));
  }

  Posterior at(const std::vector<double>& point) const {
    const std::size_t n = x_.size();
    Vector k(n);
    for (std::size_t i = 0; i < n; ++i) k[i] = covariance(gp_, x_[i], point);
    Posterior p{static_cast<Real>(gp_.mean), static_cast<Real>(gp_.signal)};
    for (std::size_t i = 0; i < n; ++i) {
      Real row_y = 0;
      Real row_k = 0;
      for (std::size_t j = 0; j < n; ++j) {
        row_y += inverse_.matrix[i][j] * residual_[j];
        row_k += inverse_.matrix[i][j] * k[j];
      }
      p.mean += k[i] * row_y;
      p.variance -= k[i] * row_k;
    }
    return p;
  }

  Real log_likelihood() const {
    const std::size_t n = x_.size();
    Real quadratic = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) quadratic += residual_[i] * inverse_.matrix[i][j] * residual_[j];
    const Real two_pi = 2 * std::acos(static_cast<Real>(-1));
    return -quadratic / 2 - inverse_.log_determinant / 2 - static_cast<Real>(n) / 2 * std::log(two_pi);
  }

 private:
  Gp gp_;
  Points x_;
  Inverse inverse_;
  Vector residual_;
};

/// Deterministic doubles in [0, 1) (a plain linear congruential generator).
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : state_(seed * 2654435769u + 12345u) {}
  double operator()() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state_ >> 11) / 9007199254740992.0;
  }
  Points points(std::size_t rows, std::size_t columns) {
    Points x(rows, std::vector<double>(columns));
    for (auto& row : x)
      for (double& value : row) value = (*this)();
    return x;
  }
  std::vector<double> values(std::size_t count, double low, double high) {
    std::vector<double> y(count);
    for (double& value : y) value = low + (high - low) * (*this)();
    return y;
  }

 private:
  std::uint64_t state_;
};

inline std::vector<double> flat(const Points& x) {
  std::vector<double> values;
  for (const auto& row : x) values.insert(values.end(), row.begin(), row.end());
  return values;
}

}  // namespace oracle
