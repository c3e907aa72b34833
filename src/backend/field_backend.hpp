#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <carbo/options.hpp>

#include "backend/matrix_view.hpp"

namespace carbo::internal {

/// Output units of a field: shift + scale · standardised mean, scale² · variance.
struct Affine {
  double shift = 0;
  double scale = 1;
};

/// Per-candidate model values, resident: one or more means (one a fantasy) and, where asked for, a variance.
class Field {
 public:
  virtual ~Field() = default;
  virtual std::size_t size() const = 0;
  virtual std::size_t means() const = 0;
  virtual bool has_variance() const = 0;
  /// Copies to the host; for tests, receipts and callers who ask.
  virtual double mean(std::size_t candidate, std::size_t fantasy = 0) const = 0;
  virtual double variance(std::size_t candidate) const = 0;
  /// First mean and variance of every candidate, in one copy each; both have room for `size()` values.
  virtual void read(std::span<double> means, std::span<double> variances) const = 0;
};

/// Numbers of each candidate that a linear model is made of, resident.
class FeatureTable {
 public:
  virtual ~FeatureTable() = default;
  virtual std::size_t size() const = 0;
  virtual std::size_t features() const = 0;
};

/// A linear model of a cost: c = positive(Σ c_j φ_j + c₀), see log_linear_cost.
struct LinearTerm {
  std::span<const double> coefficients;  ///< one a feature
  double intercept = 0;
  double knee = 0;  ///< above 0
  /// (features + 1)², intercept last: of the coefficients, over spread². Empty where no variance is wanted.
  std::span<const double> covariance{};
  double spread = 0;  ///< standard deviation of what the features do not explain
  CostError error = CostError::relative;
};

/// Fields that follow from numbers of the candidates: costs.
class FieldBackend {
 public:
  virtual ~FieldBackend() = default;

  /// `values`: candidates × features, all finite.
  virtual std::unique_ptr<FeatureTable> make_features(MatrixView values) = 0;

  /// Logarithm of a linear cost over all candidates, with its variance where the term has a covariance. One
  /// matrix-vector product. `offset`, where given, is added to the mean.
  virtual std::unique_ptr<Field> linear_field(const FeatureTable& features, const LinearTerm& term,
                                              const Field* offset = nullptr) = 0;

  /// A field of one mean from host values (a known cost); `variances` may be empty.
  virtual std::unique_ptr<Field> make_field(std::span<const double> means, std::span<const double> variances) = 0;
};

}  // namespace carbo::internal
