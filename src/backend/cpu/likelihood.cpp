#include "backend/cpu/likelihood.hpp"

#include "backend/cpu/intrinsics.hpp"
// Eigen comes after it.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "backend/checks.hpp"
#include "backend/cpu/cholesky.hpp"
#include "backend/cpu/covariance.hpp"
#include "backend/cpu_sizes.hpp"
#include "backend/jitter_policy.hpp"
#include "backend/likelihood_gradient.hpp"

namespace carbo::internal {
namespace {

using Lanes = Eigen::Map<const Eigen::ArrayXd>;

/// Everything that one request computes with, in one scratch buffer.
struct Work {
  std::size_t rows = 0;
  std::size_t stride = 0;  ///< rows, filled up to whole strips
  double signal_variance = 0;
  double noise_variance = 0;
  double jitter = 0;
  PointColumns points;             ///< scaled
  Strips upper;                    ///< U, K = UᵀU
  Strips inverse;                  ///< U⁻ᵀ
  std::span<const double> counts;  ///< as in LikelihoodRequest
  std::vector<double> whitened;    ///< L⁻¹(y − mean), and L⁻¹1 where the mean is estimated
  std::vector<double> weights;     ///< K⁻¹(y − mean), filled up

  double count(std::size_t row) const { return counts.empty() ? 1.0 : counts[row]; }
};

double* carve(double*& cursor, std::size_t count) {
  double* const part = cursor;
  cursor += count;
  return part;
}

/// Points divided by the lengthscale of their column's group, by coordinate, zero-padded.
PointColumns scale_points(const LikelihoodRequest& request, std::size_t stride, double* storage) {
  const std::size_t columns = request.points.columns;
  for (std::size_t c = 0; c < columns; ++c) {
    const double inverse = std::exp(-request.log_parameters[static_cast<std::size_t>(request.column_groups[c])]);
    double* column = storage + c * stride;
    for (std::size_t i = 0; i < request.points.rows; ++i) column[i] = request.points.row(i)[c] * inverse;
    std::fill(column + request.points.rows, column + stride, 0.0);
  }
  return {storage, stride, columns};
}

/// Factor at the first jitter that works; false where none does.
bool factorise_with_jitter(ThreadPool& pool, Work& work) {
  const double mean_diagonal = work.signal_variance + work.noise_variance;
  for (const double jitter : jitter_steps) {
    const RowNoise noise{work.noise_variance, jitter * mean_diagonal, work.counts};
    fill_gram(pool, work.points, work.rows, work.signal_variance, noise, work.upper);
    if (factorise(pool, work.upper, work.rows, smallest_pivot(work.rows) * mean_diagonal)) {
      work.jitter = jitter;
      return true;
    }
  }
  return false;
}

/// Log likelihood and mean; leaves L⁻¹(y − mean) in `work.whitened`.
void value_part(const LikelihoodRequest& request, Work& work, LikelihoodValue& value) {
  const auto n = static_cast<Eigen::Index>(work.rows);
  work.whitened.assign(2 * work.stride, 0.0);
  std::copy(request.targets.begin(), request.targets.end(), work.whitened.begin());
  Eigen::Map<Eigen::VectorXd> whitened(work.whitened.data(), n);
  Eigen::Map<Eigen::VectorXd> ones(work.whitened.data() + work.stride, n);
  if (request.mean) {
    value.mean = *request.mean;
    whitened.array() -= value.mean;
    solve_rows_of(work.upper, work.rows, work.whitened.data(), work.stride, 1);
  } else {
    ones.setOnes();
    solve_rows_of(work.upper, work.rows, work.whitened.data(), work.stride, 2);
    value.mean = ones.dot(whitened) / ones.squaredNorm();
    whitened -= value.mean * ones;
  }
  double log_pivots = 0;
  for (std::size_t i = 0; i < work.rows; ++i) log_pivots += std::log(*work.upper.at(i, i));
  value.log_likelihood =
      -0.5 * whitened.squaredNorm() - log_pivots - 0.5 * static_cast<double>(n) * std::log(2.0 * std::numbers::pi);
}

/// Sums over one row i of W = αα' − K⁻¹ against the derivatives of K, columns j < i.
/// sums: one a coordinate, then the signal's.
void add_row_gradient(const Work& work, std::size_t i, const double* inverse_row, double* sums) {
  alignas(64) double squared[panel_width];
  alignas(64) double slope_weights[panel_width];
  alignas(64) double value_weights[panel_width];
  const std::size_t columns = work.points.columns;
  const double* weights = work.weights.data();
  const double own = weights[i];
  for (std::size_t first = 0; first < i; first += panel_width) {
    const std::size_t used = std::min(panel_width, i - first);
    const std::size_t width = padded(used);
    squared_distances(work.points.data + i, work.points.stride, work.points, first, width, squared);
    for (std::size_t j = 0; j < width; ++j) {
      const double w = own * weights[first + j] - inverse_row[first + j];
      const kernels::MaternWithSlope k = kernels::matern_with_slope(squared[j]);
      slope_weights[j] = w * k.slope;
      value_weights[j] = w * k.value;
    }
    std::fill(slope_weights + used, slope_weights + width, 0.0);
    std::fill(value_weights + used, value_weights + width, 0.0);
    const auto lanes = static_cast<Eigen::Index>(width);
    const Lanes slopes(slope_weights, lanes);
    for (std::size_t c = 0; c < columns; ++c) {
      const double* column = work.points.data + c * work.points.stride;
      sums[c] += (slopes * (Lanes(column + first, lanes) - column[i]).square()).sum();
    }
    sums[columns] += Lanes(value_weights, lanes).sum();
  }
}

/// Gradient by ½ tr((αα' − K⁻¹) dK), one block of rows a task; partial sums are added in the order of the blocks.
void gradient_part(ThreadPool& pool, ScratchPool& scratch, const LikelihoodRequest& request, Work& work,
                   LikelihoodValue& value) {
  const std::size_t blocks = (work.rows + cholesky_block - 1) / cholesky_block;
  const std::size_t columns = work.points.columns;
  const std::size_t sums_per_block = columns + 3;  // coordinates, signal, trace of W, the same over counts
  pool.parallel_for(blocks, [&](std::size_t b) {
    const std::size_t first = b * cholesky_block;
    invert_columns(work.upper, work.rows, first, std::min(cholesky_block, work.rows - first), work.inverse);
  });
  work.weights.resize(work.stride);
  multiply_transposed_vector(work.inverse, work.rows, cholesky_block, work.whitened.data(), work.weights.data());
  std::vector<double> sums(blocks * sums_per_block, 0.0);
  pool.parallel_for(blocks, [&](std::size_t task) {
    const ScratchPool::Lease lease = scratch.borrow(cholesky_block * work.stride);
    double* rows = lease.data();
    const std::size_t first = task * cholesky_block;
    const std::size_t end = std::min(work.rows, first + cholesky_block);
    multiply_transposed(work.inverse, work.rows, first, end - first, rows, work.stride);
    double* mine = sums.data() + task * sums_per_block;
    for (std::size_t i = first; i < end; ++i) {
      const double* row = rows + (i - first) * work.stride;
      add_row_gradient(work, i, row, mine);
      const double own = work.weights[i] * work.weights[i] - row[i];
      mine[columns + 1] += own;
      mine[columns + 2] += own / work.count(i);
    }
  });
  std::vector<double> total(sums_per_block, 0.0);
  for (std::size_t b = 0; b < blocks; ++b)
    for (std::size_t s = 0; s < sums_per_block; ++s) total[s] += sums[b * sums_per_block + s];
  set_gradient(request, work.signal_variance, work.noise_variance, total.data(), value);
}

/// Of one column, in whole strips.
std::size_t stride_of(const LikelihoodRequest& request) { return Strips::doubles_for(1, request.points.rows); }

/// Both matrices and the scaled points.
std::size_t doubles_of(const LikelihoodRequest& request) {
  return stride_of(request) * (2 * request.points.rows + request.points.columns);
}

void compute_one(ThreadPool& pool, ScratchPool& scratch, const LikelihoodRequest& request, LikelihoodValue& value) {
  value = LikelihoodValue{};
  value.gradient.assign(request.log_parameters.size(), 0.0);
  Work work;
  work.rows = request.points.rows;
  work.stride = stride_of(request);
  work.counts = request.counts;
  const std::size_t groups = request.log_parameters.size() - 2;
  work.signal_variance = std::exp(request.log_parameters[groups]);
  work.noise_variance = std::exp(request.log_parameters[groups + 1]);
  if (request.mean) value.mean = *request.mean;
  if (!representable(request.log_parameters)) return;
  const ScratchPool::Lease lease = scratch.borrow(doubles_of(request));
  double* cursor = lease.data();
  work.upper = Strips::in_order(carve(cursor, work.rows * work.stride), work.rows);
  work.inverse = Strips::in_order(carve(cursor, work.rows * work.stride), work.rows);
  work.points = scale_points(request, work.stride, cursor);
  if (!factorise_with_jitter(pool, work)) return;
  value.jitter = work.jitter;
  value_part(request, work, value);
  gradient_part(pool, scratch, request, work, value);
}

/// How many of the requests may be held at once; at least one.
std::size_t held_at_once(std::span<const LikelihoodRequest> requests, std::size_t most_bytes) {
  std::size_t largest = 1;
  for (const LikelihoodRequest& request : requests) largest = std::max(largest, doubles_of(request));
  return std::max<std::size_t>(1, most_bytes / sizeof(double) / largest);
}

}  // namespace

void compute_likelihoods(ThreadPool& pool, ScratchPool& scratch, std::span<const LikelihoodRequest> requests,
                         std::span<LikelihoodValue> values, std::size_t most_bytes) {
  check_requests(requests, values.size());
  const auto one = [&](std::size_t i) { compute_one(pool, scratch, requests[i], values[i]); };
  const auto large = [](const LikelihoodRequest& request) { return request.points.rows >= rows_worth_threads; };
  const std::size_t held = held_at_once(requests, most_bytes);
  // Those that are left when every thread has had as many, or all where not every thread can hold one.
  const std::size_t leftover = held < pool.threads() ? requests.size() : requests.size() % pool.threads();
  if (std::all_of(requests.end() - static_cast<std::ptrdiff_t>(leftover), requests.end(), large)) {
    const std::size_t whole = requests.size() - leftover;
    pool.parallel_for(whole, one);
    for (std::size_t i = whole; i < requests.size(); ++i) one(i);
    return;
  }
  const std::size_t wave = held < pool.threads() ? held : requests.size();
  for (std::size_t first = 0; first < requests.size(); first += wave)
    pool.parallel_for(std::min(wave, requests.size() - first), [&](std::size_t i) { one(first + i); });
}

}  // namespace carbo::internal
