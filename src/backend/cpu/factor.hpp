#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "backend/cpu/cholesky.hpp"
#include "backend/cpu/scratch.hpp"
#include "backend/cpu/weighted_sums.hpp"
#include "backend/gp_factor.hpp"
#include "support/thread_pool.hpp"

namespace carbo::internal {

/// GP on the host. L is row-major with spare rows and columns, so that an append writes one row (and a column of Lᵀ).
class CpuFactor final : public GpFactor {
 public:
  /// Factors K(X,X) + σ²C⁻¹ at the first jitter that works. Throws NumericalError where none does.
  CpuFactor(std::shared_ptr<ThreadPool> pool, MatrixView points, std::span<const double> targets,
            GpParameters parameters, std::span<const double> counts = {});

  const GpParameters& parameters() const override { return parameters_; }
  std::size_t observed() const override { return observed_; }
  std::size_t fantasised() const override { return rows_ - observed_; }
  double jitter() const override { return jitter_; }
  void set_targets(std::span<const double> targets) override;
  void set_background(MatrixView points, std::span<const double> weights) override;
  std::vector<double> posterior_products(MatrixView points, std::span<const double> weights) const override;
  bool append(std::span<const double> point) override;
  std::size_t append_all(MatrixView points) override;
  std::vector<double> fantasise(std::span<const double> point, std::span<const double> normals) override;
  /// The same of several, one after the other; as many normals for each. Returns the values of each in turn.
  std::vector<double> fantasise_all(MatrixView points, std::span<const double> normals);
  void drop_fantasies() override;
  void predict(MatrixView points, std::span<double> mean, std::span<double> variance) const override;
  std::vector<double> lowest_fitted_mean() const override;
  LeaveOneOut leave_one_out() const override;

  /// Rows of L, fantasised ones included.
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return parameters_.inverse_lengthscales.size(); }
  /// All points, scaled by the lengthscales.
  PointColumns points() const { return {scaled_.data(), capacity_, columns()}; }
  /// Leading observed rows.
  LowerMatrix observed_lower() const { return {triangles_->data(), observed_, capacity_}; }
  /// What the prior mean has beside parameters().mean.
  WeightedPoints background() const { return {background_.view(), background_scales_}; }
  /// K⁻¹(y − prior mean) over observed rows. O(n²).
  std::vector<double> weights() const;
  /// On the diagonal of an observed row, jitter included.
  double least_noise() const { return *std::min_element(diagonal_.begin(), diagonal_.end()); }

  /// One fantasised point, as the candidates need it: r(x) = (k(x*,x) − k(X,x)ᵀβ) / ℓ over the rows X before it.
  struct Fantasy {
    std::vector<double> weights;  ///< signal variance · β, one a row before it
    double pivot = 0;             ///< ℓ
    std::vector<double> normals;  ///< z a fantasy
    std::vector<double> values;   ///< y* a fantasy
    double explained = 0;         ///< ‖L⁻¹k(X,x*)‖²
    /// What rounding may add to |r(x)|, whatever x.
    double response_error = 0;
  };
  /// In the order of their rows, which follow the observed ones.
  std::span<const Fantasy> fantasies() const { return fantasies_; }

 private:
  LowerMatrix all_lower() const { return {triangles_->data(), rows_, capacity_}; }
  double mean_diagonal() const { return parameters_.signal_variance + parameters_.noise_variance; }
  void reserve(std::size_t rows);
  void store_point(std::size_t row, const PointColumns& scaled, std::size_t which);
  ScaledPoints scale(MatrixView points) const;
  std::vector<double> whiten(std::span<const double> targets, std::span<const double> prior) const;
  double prior_at(std::span<const double> scaled_point) const;
  void predict_means(MatrixView points, std::span<double> mean) const;
  struct SideBySide;
  SideBySide side_by_side(MatrixView points, std::size_t rows) const;
  /// k(x*,x*) + σ² − lᵀl over all rows, jitter included.
  double new_pivot(const SideBySide& fresh, std::size_t which) const;
  void add_row(const SideBySide& fresh, std::size_t which, double pivot_squared, double own_pivot_squared);
  bool append_together(MatrixView points);
  void fantasise_together(MatrixView points, std::span<const double> normals);
  void follow(const Fantasy& newest) noexcept;
  double response_error(std::span<const double> beta, double pivot) const;

  std::shared_ptr<ThreadPool> pool_;
  GpParameters parameters_;
  double jitter_ = 0;
  std::size_t observed_ = 0;
  std::size_t rows_ = 0;
  std::size_t capacity_ = 0;            ///< rows and columns of triangles_, as by matrix_stride
  std::unique_ptr<Scratch> triangles_;  ///< capacity × capacity, row-major: L below the diagonal, Lᵀ above it
  std::vector<double> scaled_;          ///< columns × capacity
  ScaledPoints background_;
  std::vector<double> background_scales_;  ///< signal variance · weight
  std::vector<double> prior_;              ///< prior mean, observed
  std::vector<double> targets_;            ///< observed
  std::vector<double> whitened_;           ///< L⁻¹(y − prior mean), observed
  std::vector<double> diagonal_;           ///< noise and jitter on each diagonal entry, all rows
  std::vector<Fantasy> fantasies_;
  std::vector<std::vector<double>> fitted_weights_;  ///< K⁻¹(y − prior mean) over all rows, one a fantasy
};

}  // namespace carbo::internal
