#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/context.hpp"
#include "backend/cuda/packed_block.hpp"
#include "backend/gp_factor.hpp"
#include "device/device_views.hpp"
#include "launch/factor_rows.cuh"

namespace carbo::internal {

/// GP on the device. L is column-major with spare rows and columns, so that an append writes one row. Every call
/// either works or leaves the factor as it was.
class CudaFactor final : public GpFactor {
 public:
  const GpParameters& parameters() const override { return parameters_; }
  std::size_t observed() const override { return observed_; }
  std::size_t fantasised() const override { return rows_ - observed_; }
  double jitter() const override { return jitter_; }
  void set_targets(std::span<const double> targets) override;
  void set_background(MatrixView points, std::span<const double> weights) override;
  std::vector<double> posterior_products(MatrixView points, std::span<const double> weights) const override;
  bool append(std::span<const double> point) override;
  std::vector<double> fantasise(std::span<const double> point, std::span<const double> normals) override;
  void drop_fantasies() override;
  void predict(MatrixView points, std::span<double> mean, std::span<double> variance) const override;
  std::vector<double> lowest_fitted_mean() const override;
  LeaveOneOut leave_one_out() const override;

  const Context& context() const { return *context_; }
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return parameters_.inverse_lengthscales.size(); }
  std::size_t fantasies() const { return fantasies_; }
  /// Good until the factor next changes. The prior mean is that without a background.
  kernels::GpView view() const;
  bool has_background() const { return background_.points > 0; }
  /// The background's points and weights as a GP's rows, with a mean of 0; see set_background.
  kernels::GpView background_view() const { return view_of(background_); }

  /// Forgets all fantasised points but the first so many.
  void keep_fantasies(std::size_t points) noexcept;
  /// Of all fantasised points, one row of `fantasies` each.
  std::span<const double> fantasy_normals() const { return fantasy_normals_; }
  /// The inverse of L over the observed rows, as far as it is not there: it is kept, and rows that are appended to L
  /// add theirs. Gives its blocks on the diagonal; the others lie above L. Without waiting; see launch_inverse.
  const double* enqueue_inverse() const;
  /// lowest_fitted_mean into device memory, one value a fantasy, without waiting.
  void enqueue_lowest_fitted_mean(double* lowest) const;

 private:
  friend class FactorBuilder;
  friend class FantasySequence;

  /// Points that the prior mean is made of beside `mean`.
  struct Background {
    std::size_t points = 0;
    DeviceBuffer<double> coordinates;  ///< columns × points
    DeviceBuffer<double> weights;
  };
  /// Targets by row, L⁻¹(y − prior mean) and K⁻¹(y − prior mean), each with room for all rows.
  struct Fit {
    DeviceBuffer<double> targets;
    DeviceBuffer<double> whitened;
    DeviceBuffer<double> weights;
  };
  /// Of fantasised points, as in GpView; `values` as in RowTask.
  struct Fantasised {
    std::size_t room = 0;            ///< points
    DeviceBuffer<double> responses;  ///< room × capacity
    DeviceBuffer<double> pivots;
    DeviceBuffer<double> response_errors;
    DeviceBuffer<double> normals;  ///< room × fantasies
    DeviceBuffer<double> values;   ///< room × fantasies
  };

  /// Room for `rows` observed points, and some more; nothing is written to it yet.
  CudaFactor(std::shared_ptr<const Context> context, GpParameters parameters, std::size_t rows);

  double mean_diagonal() const { return parameters_.signal_variance + parameters_.noise_variance; }
  double usual_diagonal() const { return parameters_.noise_variance + jitter_ * mean_diagonal(); }
  Fit make_fit(std::span<const double> targets, std::span<const double> prior) const;
  Background make_background(MatrixView points, std::span<const double> weights) const;
  /// The weighted points in the place of observed rows.
  kernels::GpView view_of(const Background& background) const;
  /// Prior mean at `count` queries, row-major, as points are given; both in device memory.
  void enqueue_prior(const double* queries, std::size_t count, double* prior) const;
  void predict_means(MatrixView points, std::span<double> mean) const;
  /// The capacity that `rows` rows ask for: as it is, or a good deal more.
  std::size_t capacity_for(std::size_t rows) const;
  void grow(std::size_t capacity);
  /// Room for so many fantasised points with so many normals each, but for rows of L.
  void make_room(std::size_t points, std::size_t fantasies);
  /// One more row by way of `column`.
  kernels::RowTask row_task(double* column, double least_pivot);
  /// Of the fantasised point that comes after `ahead` others.
  kernels::RowTask fantasy_task(std::size_t fantasies, std::size_t ahead);
  /// x ← L⁻¹x or, transposed, L⁻ᵀx, for the leading rows of L and columns of x `stride` apart.
  void solve(cublasOperation_t operation, std::size_t rows, double* x, std::size_t columns, std::size_t stride) const;

  std::shared_ptr<const Context> context_;
  GpParameters parameters_;
  double jitter_ = 0;
  std::size_t observed_ = 0;
  std::size_t rows_ = 0;
  std::size_t fantasies_ = 0;
  std::size_t capacity_ = 0;  ///< rows and columns of lower_
  DeviceBuffer<double> inverse_lengthscales_;
  DeviceBuffer<double> points_;         ///< columns × capacity
  mutable DeviceBuffer<double> lower_;  ///< capacity × capacity; above L lies its inverse
  mutable DeviceBuffer<double> inverse_blocks_;
  mutable std::size_t inverted_ = 0;  ///< rows whose inverse is there
  DeviceBuffer<double> diagonal_;     ///< noise and jitter on each diagonal entry, one a row
  Background background_;
  std::vector<double> prior_;  ///< prior mean by observed row, on the host
  Fit fit_;
  Fantasised fantasised_;
  std::vector<double> fantasy_normals_;  ///< those of `fantasised_` on the host
};

/// All factors of Backend::factor: potrfBatched for several, Xpotrf for one; those that fail are tried again alone
/// with jitter.
std::vector<std::unique_ptr<GpFactor>> make_factors(const std::shared_ptr<const Context>& context, MatrixView points,
                                                    std::span<const double> targets,
                                                    std::span<const GpParameters> parameters,
                                                    std::span<const double> counts);

/// Points that are fantasised one after the other in all factors (at least one, equal numbers of rows and fantasies)
/// without waiting. Room and tables for all of them are made, and uploaded, beforehand; until the last point factors
/// must not grow otherwise.
class FantasySequence {
 public:
  /// Normals: one a fantasy in the order of the factors, point after point. `given`: coordinates of all points, or
  /// none where they are known on the device only. Throws before anything has changed but the factors' room.
  FantasySequence(const Context& context, std::span<CudaFactor* const> factors, std::size_t points,
                  std::span<const double> normals, MatrixView given = {});

  /// Fantasises the next point, which is in device memory; null: the one that was given. `values`: device memory, one
  /// a fantasy, which incumbents follow. Where it throws the point has not been fantasised.
  void enqueue(const double* point, double* values, const kernels::IncumbentTarget& incumbents = {});

 private:
  std::size_t members() const { return factors_.size(); }
  void check(MatrixView given) const;
  void make_tables(MatrixView given);
  void solve(cublasOperation_t operation);

  const Context& context_;
  std::vector<CudaFactor*> factors_;
  std::size_t points_;
  std::vector<double> normals_;
  std::size_t fantasies_ = 0;  ///< a factor
  std::size_t next_ = 0;
  PackedBlock block_;
  std::size_t tasks_at_ = 0, lowers_at_ = 0, columns_at_ = 0, given_at_ = 0, normals_at_ = 0;
  std::vector<double*> columns_;  ///< by point and factor
  DeviceBuffer<double> priors_;   ///< one a factor, where there is a background
};

}  // namespace carbo::internal
