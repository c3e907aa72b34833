#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/context.hpp"
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

  /// Forgets the fantasised point that came last; there is one.
  void drop_last_fantasy() noexcept;

 private:
  friend class FactorBuilder;
  friend void enqueue_fantasies(const Context& context, std::span<CudaFactor* const> factors,
                                std::span<const double> point, std::span<const double> normals, double* values);

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
  kernels::RowTask fantasy_task(std::size_t fantasies);
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
  DeviceBuffer<double> points_;    ///< columns × capacity
  DeviceBuffer<double> lower_;     ///< capacity × capacity
  DeviceBuffer<double> diagonal_;  ///< noise and jitter on each diagonal entry, one a row
  Background background_;
  std::vector<double> prior_;  ///< prior mean by observed row, on the host
  Fit fit_;
  Fantasised fantasised_;
};

/// All factors of Backend::factor: potrfBatched for several, Xpotrf for one; those that fail are tried again alone
/// with jitter.
std::vector<std::unique_ptr<GpFactor>> make_factors(const std::shared_ptr<const Context>& context, MatrixView points,
                                                    std::span<const double> targets,
                                                    std::span<const GpParameters> parameters,
                                                    std::span<const double> counts);

/// Fantasises one point in all factors (at least one, equal numbers of rows and fantasies) without waiting; normals
/// and values: one a fantasy, in the order of the factors. `values` is device memory. Allocates
/// only where points outgrow the room, which doubles.
void enqueue_fantasies(const Context& context, std::span<CudaFactor* const> factors, std::span<const double> point,
                       std::span<const double> normals, double* values);

}  // namespace carbo::internal
